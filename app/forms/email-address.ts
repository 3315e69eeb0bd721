import { foldWidth } from '../ui/typed-text.ts'

// Dots may stand as some telephones' do.
const PLAIN_ADDRESS =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/i

/** Returns a typed e-mail address as it is stored and compared, but for its case. */
export function cleanEmail(text: string) {
  return foldWidth(text).replaceAll('。', '.')
}

/** One plain address, `name@example.jp`, to which mail can be sent: no display name, quotes, comments or list. */
export function isPlainAddress(text: string) {
  return text.length <= 254 && PLAIN_ADDRESS.test(text)
}

/** What someone reads who has written something else. */
export const notAnAddress = '有効なメールアドレスではありません'
