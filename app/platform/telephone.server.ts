import { findPhoneNumbersInText, formatIncompletePhoneNumber } from 'libphonenumber-js/min'
import { normalize } from '../ui/normalize.ts'

// Digits in URLs and e-mail addresses are no telephone numbers. The library skips a number that touches a letter.
const NOT_A_NUMBER = /https?:[!-~]+|[\w.+-]{1,64}@[\w.-]+|[#,;~]|(?![ーｰ])\p{L}/gu
// Dashes that the library does not recognize, and the middle dot after an area code.
const DASH = /[−ー─━ｰ⁃﹣]|(?<=[\d０-９])(?<![\d０-９]{4})[・･]/g

/** Splits a text at its numbers. `tel` (RFC 3966) is national unless the number was typed with a +. */
export function splitAtTelephones(text: string): { text: string; tel: string | null }[] {
  const parts: { text: string; tel: string | null }[] = []
  let end = 0
  // The replacements have the same length, so that positions match the original text.
  const searchable = text.replace(NOT_A_NUMBER, (found) => '、'.repeat(found.length)).replace(DASH, '-')
  for (const { startsAt, endsAt, number } of findPhoneNumbersInText(searchable, 'JP')) {
    if (number.nationalNumber.startsWith('0')) continue
    const found = text.slice(startsAt, endsAt)
    parts.push({ text: text.slice(end, startsAt), tel: null })
    parts.push({ text: found, tel: /[+＋]/.test(found) ? number.number : `0${number.nationalNumber}` })
    end = endsAt
  }
  return [...parts, { text: text.slice(end), tel: null }].filter((part) => part.text !== '')
}

export function formatTelephones(input: string) {
  const parts = splitAtTelephones(input.replace(/\p{DI}/gu, ''))
  const text = parts.map(({ text, tel }) => (tel ? hyphenate(text, tel) : text)).join('')
  return text.replace(/^\s*(?:お?電話(?:番号)?|tel)?[\s:：.．☎℡]*(?=[+\d])/i, '')
}

// A number that was typed in three groups stays unchanged, because its owner knows the area code best.
function hyphenate(input: string, tel: string) {
  const groups = normalize(input, 'NFKC').replace('(0)', ' ').match(/\d+/g) ?? []
  const grouped = groups.length > 2 ? tel.replace(/\d.*/, groups.join('-')) : ''
  const formatted = formatIncompletePhoneNumber(tel, 'JP').replaceAll(' ', '-')
  return [grouped, formatted].find((candidate) => candidate.replaceAll('-', '') === tel) ?? tel
}
