import { findPhoneNumbersInText, formatIncompletePhoneNumber } from 'libphonenumber-js/min'
import { normalize } from '../ui/normalize.ts'

// Digits in URLs and e-mail addresses are no telephones, and the library skips a number that touches a letter.
const NOT_A_NUMBER = /https?:[!-~]+|[\w.+-]{1,64}@[\w.-]+|[#,;~]|(?![ーｰ])\p{L}/gu
// Dashes that the library does not read, and the middle dot after an area code.
const DASH = /[−ー─━ｰ⁃﹣]|(?<=[\d０-９])(?<![\d０-９]{4})[・･]/g

/** Splits a text at its telephone numbers; each has the digits that a phone dials (RFC 3966), from Japan unless it has a +. */
export function splitAtTelephones(text: string): { text: string; tel: string | null }[] {
  const parts: { text: string; tel: string | null }[] = []
  let end = 0
  // Replacements have the same length, so that the positions are those in the text.
  const readable = text.replace(NOT_A_NUMBER, (found) => '、'.repeat(found.length)).replace(DASH, '-')
  for (const { startsAt, endsAt, number } of findPhoneNumbersInText(readable, 'JP')) {
    if (number.nationalNumber.startsWith('0')) continue
    const found = text.slice(startsAt, endsAt)
    parts.push({ text: text.slice(end, startsAt), tel: null })
    parts.push({ text: found, tel: /[+＋]/.test(found) ? number.number : `0${number.nationalNumber}` })
    end = endsAt
  }
  return [...parts, { text: text.slice(end), tel: null }].filter((part) => part.text !== '')
}

/** Returns what was typed as telephone with hyphens in each number and without a label before it. */
export function formatTelephones(typed: string) {
  const parts = splitAtTelephones(typed.replace(/\p{DI}/gu, ''))
  const text = parts.map(({ text, tel }) => (tel ? hyphenated(text, tel) : text)).join('')
  return text.replace(/^\s*(?:お?電話(?:番号)?|tel)?[\s:：.．☎℡]*(?=[+\d])/i, '')
}

// A number that was typed in three groups keeps them: its owner knows its area code best.
function hyphenated(typed: string, tel: string) {
  const groups = normalize(typed, 'NFKC').replace('(0)', ' ').match(/\d+/g) ?? []
  const grouped = groups.length > 2 ? tel.replace(/\d.*/, groups.join('-')) : ''
  const formatted = formatIncompletePhoneNumber(tel, 'JP').replaceAll(' ', '-')
  return [grouped, formatted].find((each) => each.replaceAll('-', '') === tel) ?? tel
}
