import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Rejection } from '../forms/outcome.ts'

const listFile = createRequire(import.meta.url).resolve('@zxcvbn-ts/language-common/src/passwords.json')

const COMMON_PASSWORD_ERROR = 'このパスワードは広く知られているため使えません。ほかのものにしてください。'

/** Whether guessers try the password early: a leaked password, a run such as `9876543210`, or the e-mail address. */
export async function isCommonPassword(password: string, email: string) {
  const normalized = password.normalize('NFKC').toLowerCase()
  return normalized === email || normalized === email.split('@')[0] || isRun(normalized) || (await isListed(normalized))
}

/** Whether all characters are equal, or each character is the successor or predecessor of the character before. */
function isRun(text: string) {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0)
  const steps = new Set(codes.slice(1).map((code, index) => code - (codes[index] ?? 0)))
  return steps.size < 2 && [...steps].every((step) => Math.abs(step) <= 1)
}

// The list needs 5 MB as strings, so the file is searched as text. A search takes about a millisecond.
async function isListed(password: string) {
  return (await readFile(listFile)).includes(JSON.stringify(password))
}

export async function assertUncommon(password: string, email: string) {
  if (await isCommonPassword(password, email))
    throw new Rejection({ errors: { password: [COMMON_PASSWORD_ERROR] } }, 400)
}
