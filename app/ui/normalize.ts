// NFKC turns the two halfwidth kana marks into combining marks. U+034F ends a run.
const MARK = '(?!\\u034f)[\\p{M}\\uff9e\\uff9f]'
const LONG_RUN = new RegExp(`(?:${MARK}){30}(?=${MARK})`, 'gu')

/**
 * Normalizes a text in linear time. `String.normalize` sorts a run of combining marks in quadratic time. Runs that are
 * longer than in any language are therefore split, as in the Stream-Safe Text Format (UAX #15).
 */
export function normalize(text: string, form: 'NFC' | 'NFKC') {
  return text.replace(LONG_RUN, '$&\u034f').normalize(form)
}
