import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { dictionary } from '@zxcvbn-ts/language-common'
import { expect, test } from 'vitest'
import { signUpForm } from './account-forms.ts'
import { isCommonPassword } from './common-password.server.ts'
import { hashPassword, verifyPassword } from './password-hash.server.ts'

const loose = { min: 6, max: 128, lower: false, upper: false, digit: false, other: false }
const strict = { min: 8, max: 12, lower: true, upper: true, digit: true, other: true }

test.each([
  ['abcde', loose, '6文字以上'],
  ['abcdef', loose, null],
  ['𠮷𠮷𠮷𠮷𠮷', loose, '6文字以上'],
  ['abcdefgh', strict, '英大文字を含む、数字を含む、記号を含む'],
  ['ABCDEFG1', strict, '英小文字を含む、記号を含む'],
  ['Abcdef1!', strict, null],
  ['Abcdef1!Abcd', strict, null],
  ['Abcdef1!Abcdef1!', strict, '12文字以内'],
])('the sign-up form returns the unmet requirements of the password %s', (password, policy, unmet) => {
  const { error } = signUpForm(policy).safeParse({ name: '花', email: 'hana@example.jp', password })
  const sentence = unmet && `パスワードは次のようにしてください：${unmet}`
  expect(error?.issues.map(({ message }) => message) ?? null).toEqual(sentence ? [sentence] : null)
})

test('the sign-up form accepts an e-mail address of 254 characters, but no longer one', () => {
  const read = (local: number) => {
    const email = `${'a'.repeat(local)}@${'b.'.repeat(93)}example.jp`
    return signUpForm(loose).safeParse({ name: '花', email, password: 'abcdef' }).error?.issues[0]?.message
  }
  expect([read(57), read(58)]).toEqual([undefined, 'メールアドレスは254文字までです'])
})

test.each([
  ['password1', true],
  ['ＰＡＳＳＷＯＲＤ', true],
  ['qwertyuiop', true],
  ['sakura1', true],
  ['zzzzzzzzz', true],
  ['9876543210', true],
  ['abcdefghijk', true],
  ['1357913579', false],
  ['ttuuvvwwxxyy', false],
  ['bdfhjlnprtvx', false],
  ['okami-to-hana', true],
  ['OKAMI-to-hana@example.jp', true],
  ['toss-high-9', false],
])('isCommonPassword(%s) resolves with %s', async (password, expected) => {
  expect(await isCommonPassword(password, 'okami-to-hana@example.jp')).toBe(expected)
})

// ASVS 5.0, 6.2.4 requires the 3000 most frequent passwords that the policy accepts.
test('refuses the 3000 most frequent passwords of eight or more characters (every 50th)', async () => {
  const passwords = dictionary['passwords-common'].filter(({ length }) => length >= 8).slice(0, 3000)
  expect(passwords).toHaveLength(3000)
  for (const password of passwords.filter((_, index) => index % 50 === 0))
    expect(await isCommonPassword(password, 'hana@example.jp'), password).toBe(true)
})

test('accepts a password that is no entry of the list but contains its delimiters', async () => {
  expect(await isCommonPassword('123456","password', 'hana@example.jp')).toBe(false)
})

test('verifies a password when its characters have a different Unicode composition', async () => {
  const hash = await hashPassword('がんばる-9')
  expect(await hashPassword('がんばる-9')).not.toBe(hash)
  expect(await verifyPassword({ password: 'がんばる-9'.normalize('NFD'), hash })).toBe(true)
  expect(await verifyPassword({ password: 'がんばる-8', hash })).toBe(false)
  expect(await verifyPassword({ password: '', hash: '' })).toBe(false)
})

test('refuses a password when its hash is truncated', async () => {
  const hash = await hashPassword('がんばる-9')
  expect(await verifyPassword({ password: 'がんばる-9', hash: hash.slice(0, -4) })).toBe(false)
})

test('hashes at the cost that OWASP recommends, and verifies at the cost of the stored hash', async () => {
  const code = `import { hashPassword } from './app/accounts/password-hash.server.ts'
    process.stdout.write(await hashPassword('がんばる-9'), () => process.exit())`
  const { stdout: hash } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await verifyPassword({ password: 'がんばる-9', hash })).toBe(true)
  expect(await verifyPassword({ password: 'がんばる-8', hash })).toBe(false)
})
