import { foldWidth } from '../ui/typed-text.ts'

// Allows dots in a row or before the @, which addresses of some mobile carriers have.
const PLAIN_ADDRESS =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/i

export function cleanEmail(text: string) {
  return foldWidth(text).replaceAll('。', '.')
}

export function isPlainEmail(text: string) {
  return text.length <= 254 && PLAIN_ADDRESS.test(text)
}

export const invalidEmail = '有効なメールアドレスではありません'
