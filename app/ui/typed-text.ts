import { normalize } from './normalize.ts'

// Spaces of every width, controls, what only steers or joins characters, and fillers and notes that draw nothing.
const BLANK = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]*$/u
// Joiners, variation selectors and tags stay: emoji and kanji are made of them.
const UNSEEN = /[^\P{Cc}\n]|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu
const EDGE = '[\\s\\u115f\\u1160\\u200c\\u200d\\u2800\\u3164\\uffa0]'
// The lookbehind keeps a run of spaces inside the text from being scanned again from each of its spaces.
const EDGES = new RegExp(`^${EDGE}+|(?<!${EDGE})${EDGE}+$`, 'g')
// NFC would replace the compatibility ideographs of names by other kanji.
const COMPOSED = /[^\uf900-\ufaff\u{2f800}-\u{2fa1f}]+/gu

/** Whether a text shows nothing to anyone. */
export function isBlank(text: string) {
  return BLANK.test(text)
}

/** Returns a text composed, with `\n` for every line break and plain spaces, without invisible characters and controls. */
export function withoutUnseen(text: string) {
  return text
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(/[\t\u00a0]/g, ' ')
    .replace(UNSEEN, '')
    .replace(COMPOSED, (run) => normalize(run, 'NFC'))
}

/** Returns typed text as it is stored: `withoutUnseen`, and without blank edges; '' if nothing of the text shows. */
export function cleanText(text: string) {
  return isBlank(text) ? '' : withoutUnseen(text).replace(EDGES, '')
}

/** Returns typed text of a single line as it is stored. */
export function cleanLine(text: string) {
  return cleanText(text).replace(/\n+/g, ' ')
}

/** Returns a typed URL as it is stored; a scheme or host in full width is folded with the rest. */
export function cleanUrl(text: string) {
  const url = cleanLine(text)
  return /^[^/]*[！-～]/.test(url) ? normalize(url, 'NFKC') : url
}

/** Returns a typed line in half width with every dash as a hyphen: for numbers, e-mail addresses and searches. */
export function foldWidth(text: string) {
  return normalize(cleanLine(text), 'NFKC').replace(/[\u2010-\u2015\u2212\u30fc]/g, '-')
}

/** Reads a typed number of either width: null for a blank, NaN for other text; a value that is no text stays. */
export function numberFrom(value: unknown) {
  if (typeof value !== 'string') return value
  return isBlank(value) ? null : Number(foldWidth(value))
}
