import { normalize } from '../ui/normalize.ts'

// A Japanese number as people write it, in either width: ten or eleven digits from 0, or after +81, in up to four parts.
const DIGIT = '[\\d０-９]'
const BETWEEN = '[\\-‐‑–—−ー－()（） 　.．]{0,2}'
const TELEPHONE = new RegExp(
  `(?<![\\d０-９/@=%+_\\-])(?:[+＋][8８][1１]${BETWEEN}(?:[(（][0０][)）])?${DIGIT}|[(（]?[0０])(?:${BETWEEN}${DIGIT}){8,10}(?![\\d０-９])`,
  'gu',
)

/** Splits a text at its telephone numbers; each has the link target for a phone (RFC 3966, without separators). */
export function splitAtTelephones(text: string): { text: string; tel: string | null }[] {
  const parts: { text: string; tel: string | null }[] = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(TELEPHONE)) {
    const tel = numberIn(found)
    if (!tel) continue
    parts.push({ text: text.slice(end, index), tel: null }, { text: found, tel })
    end = index + found.length
  }
  return [...parts, { text: text.slice(end), tel: null }].filter((part) => part.text !== '')
}

function numberIn(written: string) {
  const number = normalize(written, 'NFKC')
    .replace(/\(0\)/, '')
    .replace(/[^\d+]/g, '')
  return /^(?:0\d{9,10}|\+81\d{9,10})$/.test(number) ? number : null
}
