import { expect, test } from 'vitest'
import { errorOfCode, signInErrors } from './sign-in-errors.ts'

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
