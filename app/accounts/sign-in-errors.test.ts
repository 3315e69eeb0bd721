import { expect, test } from 'vitest'
import { errorOfCode, isOriginAllowedByGoogle, parseSignInError, signInErrors } from './sign-in-errors.ts'

test('errorOfCode returns an error with instructions for every code of the provider', () => {
  expect(errorOfCode(null)).toBeNull()
  for (const code of [
    'access_denied',
    'account_not_linked',
    'state_mismatch',
    'redirect_uri_mismatch',
    'constructor',
  ]) {
    expect(signInErrors[errorOfCode(code) ?? 'closed'], code).toMatch(/ください。$/)
  }
  expect(errorOfCode('constructor')).toBe('other')
})

test('parseSignInError accepts nothing but the name of an error', () => {
  expect(['closed', 'constructor', '', null].map(parseSignInError)).toEqual(['closed', null, null, null])
})

test.each([
  ['https://shop.example', true],
  ['http://shop.example', false],
  ['http://192.168.1.5:3000', false],
  ['http://localhost:3000', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
])('isOriginAllowedByGoogle(%s) returns %s', (origin, expected) => {
  expect(isOriginAllowedByGoogle(origin)).toBe(expected)
})
