import { expect, test } from 'vitest'
import { moveItem, placeOf, stepsTo } from './reorder.ts'

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

const menu = ['x', 's:1', 'a', 'b', 's:2', 's:3', 'c']

test.each([
  ['a', 1, 'x s:1 b a s:2 s:3 c'],
  ['a', 2, 'x s:1 b s:2 a s:3 c'],
  ['a', -1, 'x a s:1 b s:2 s:3 c'],
  ['s:1', 1, 'x s:2 s:1 a b s:3 c'],
  ['s:1', -1, 'x s:1 a b s:2 s:3 c'],
  ['s:3', -5, 'x s:3 c s:1 a b s:2'],
  ['s:1', 9, 'x s:2 s:3 c s:1 a b'],
])('in the menu, moves %s by %i places to %s', (id, steps, expected) => {
  expect(moveItem(menu, id, steps).join(' ')).toBe(expected)
})

test('counts the rows of a dropped dish, and the sections of a dropped section', () => {
  expect(stepsTo(menu, 'a', 's:2')).toBe(2)
  expect(stepsTo(menu, 's:1', 's:3')).toBe(2)
  expect(stepsTo(menu, 's:1', 'c')).toBe(2)
  expect(stepsTo(menu, 's:3', 'x')).toBe(-2)
})

test('tells the position of a dish in its section, and of a section among the sections', () => {
  expect(placeOf(menu, 'b')).toEqual({ section: 's:1', position: 2, count: 2 })
  expect(placeOf(menu, 'x')).toEqual({ section: undefined, position: 1, count: 1 })
  expect(placeOf(menu, 's:3')).toEqual({ section: undefined, position: 3, count: 3 })
  expect(placeOf(['a', 'b'], 'b')).toEqual({ section: undefined, position: 2, count: 2 })
})
