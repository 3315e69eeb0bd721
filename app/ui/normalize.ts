// NFKC turns the two halfwidth kana marks into combining marks. U+034F ends a run.
const MARK = '(?!\\u034f)[\\p{M}\\uff9e\\uff9f]'
const LONG_RUN = new RegExp(`(?:${MARK}){30}(?=${MARK})`, 'gu')

/** Splits runs of marks as in UAX #15 (Stream-Safe Text), because `String.normalize` sorts them in quadratic time. */
export function normalize(text: string, form: 'NFC' | 'NFKC') {
  return text.replace(LONG_RUN, '$&\u034f').normalize(form)
}
