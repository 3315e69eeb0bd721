import { expect, test } from 'vitest'
import { moveItem } from './reorder.ts'

test.each([
  ['a', 1, 'bac'],
  ['a', 5, 'bca'],
  ['b', 0, 'abc'],
  ['c', -1, 'acb'],
  ['c', -5, 'cab'],
  ['d', 1, 'abc'],
])('moves %s by %i places to %s', (id, steps, expected) => {
  expect(moveItem([...'abc'], id, steps).join('')).toBe(expected)
})
