import { expect, test } from 'vitest'
import { problemOfCode, signInProblems } from './sign-in-problems.ts'

test('every code of the way back has a sentence that says how to go on', () => {
  expect(problemOfCode(null)).toBeNull()
  for (const code of [
    'access_denied',
    'account_not_linked',
    'state_mismatch',
    'redirect_uri_mismatch',
    'constructor',
  ]) {
    expect(signInProblems[problemOfCode(code) ?? 'closed'], code).toMatch(/ください。$/)
  }
  expect(problemOfCode('constructor')).toBe('other')
})
