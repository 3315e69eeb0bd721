import { expect, test } from 'vitest'
import { findPhrases } from './check-english.ts'

test('reports the lines with phrases that the guide replaces', () => {
  const refused = [
    '/** Returns what whoever asks may know. */',
    '// Where the form was closed, nothing is stored.',
    ' * What is sent.',
    '  // The link leads to the page where it was created.',
    'const MOST_TRIES = 3',
    "  test('who signs in twice is told so', async () => {",
    '  test.each(["a"])',
    '  describe(`of two editors one wins`, () => {',
    'The value is computed anew.',
  ]
  expect(findPhrases(refused.join('\n')).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 8, 9])
})

test('accepts the sentences that the guide prefers', () => {
  const accepted = [
    '/** Returns the display names that the visitor may see, by account ID. */',
    '// If the form is closed, nothing is stored. Visitors who sign in see their own page.',
    'const MAX_TRIES = 3',
    "test('rejects an invalid date with a field error', () => {",
    'The address where the shop is.',
  ]
  expect(findPhrases(accepted.join('\n'))).toEqual([])
})
