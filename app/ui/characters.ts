import { normalize } from './normalize.ts'

// Letters, kana and kanji that nothing is joined to: each is a character of its own.
const PLAIN = /^[ -~\u3000-\u3029\u3030-\u303f\u3041-\u3096\u309b-\u30ff\u4e00-\u9fff\uff01-\uff9d]*$/
// A phone needs some twenty milliseconds to make it: for texts that need it.
let segmenter: Intl.Segmenter | undefined

/** A text in the characters that a person sees. */
export function graphemes(text: string) {
  if (PLAIN.test(text)) return text.split('')
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** How many characters a person sees: 𠮷 and a family of emoji are one each. */
export function lengthSeen(text: string) {
  return graphemes(normalize(text, 'NFC')).length
}

/** The UTF-16 code units in which so many characters must fit: what one is made of has no end of its own. */
export function mostUnits(characters: number) {
  return 8 * characters
}

/** Whether a text has at most so many characters as a person sees them; counted only where its length does not say it. */
export function fitsIn(text: string, most: number) {
  return text.length <= most || (text.length <= mostUnits(most) && lengthSeen(text) <= most)
}

/** `fitsIn` as a rule of a schema. */
export function atMost(most: number) {
  return (text: string) => fitsIn(text, most)
}

/** The beginning of a text that fits in so many characters, none of them cut apart. */
export function beginningOf(text: string, most: number) {
  if (fitsIn(text, most)) return text
  return graphemes(text.slice(0, mostUnits(most)))
    .slice(0, most)
    .join('')
}
