import { normalize } from './normalize.ts'

// White space of any width, control and format characters, joiners, and characters without a glyph.
const BLANK = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]*$/u
// Joiners, variation selectors and tags remain, because emoji and kanji contain them.
const INVISIBLE = /[^\P{Cc}\n]|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu
const EDGE = '[\\s\\u115f\\u1160\\u200c\\u200d\\u2800\\u3164\\uffa0]'
// Without the lookbehind, a run of spaces inside the text would take quadratic time.
const EDGES = new RegExp(`^${EDGE}+|(?<!${EDGE})${EDGE}+$`, 'g')
// NFC would replace compatibility ideographs in names with other kanji.
const COMPOSED = /[^\uf900-\ufaff\u{2f800}-\u{2fa1f}]+/gu

export function isBlank(text: string) {
  return BLANK.test(text)
}

export function withoutUnseen(text: string) {
  return text
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(/[\t\u00a0]/g, ' ')
    .replace(INVISIBLE, '')
    .replace(COMPOSED, (run) => normalize(run, 'NFC'))
}

export function cleanText(text: string) {
  return isBlank(text) ? '' : withoutUnseen(text).replace(EDGES, '')
}

export function cleanLine(text: string) {
  return cleanText(text).replace(/\n+/g, ' ')
}

/** Returns a typed URL as stored. Folds the whole URL to half width if its scheme or host has full-width characters. */
export function cleanUrl(text: string) {
  const url = cleanLine(text)
  return /^[^/]*[！-～]/.test(url) ? normalize(url, 'NFKC') : url
}

export function foldWidth(text: string) {
  return normalize(cleanLine(text), 'NFKC').replace(/[\u2010-\u2015\u2212\u30fc]/g, '-')
}

/** Parses a typed number of either width: null if blank, NaN for other text. Returns a non-string unchanged. */
export function numberFrom(value: unknown) {
  if (typeof value !== 'string') return value
  return isBlank(value) ? null : Number(foldWidth(value))
}
