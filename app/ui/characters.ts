import { normalize } from './normalize.ts'

// Letters, kana and kanji that never combine: each code unit is one grapheme.
const PLAIN = /^[ -~\u3000-\u3029\u3030-\u303f\u3041-\u3096\u309b-\u30ff\u4e00-\u9fff\uff01-\uff9d]*$/
// Created on first use, because a phone needs about 20 ms.
let segmenter: Intl.Segmenter | undefined

export function graphemes(text: string) {
  if (PLAIN.test(text)) return text.split('')
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

export function characterCount(text: string) {
  return graphemes(normalize(text, 'NFC')).length
}

/** Returns the maximum UTF-16 code units for a number of characters, because one grapheme can have any length. */
export function maxCodeUnits(characters: number) {
  return 8 * characters
}

export function fitsIn(text: string, max: number) {
  return text.length <= max || (text.length <= maxCodeUnits(max) && characterCount(text) <= max)
}

export function maxCharacters(max: number) {
  return (text: string) => fitsIn(text, max)
}

export function truncate(text: string, max: number) {
  if (fitsIn(text, max)) return text
  return graphemes(text.slice(0, maxCodeUnits(max)))
    .slice(0, max)
    .join('')
}
