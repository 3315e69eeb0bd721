import { expect, test } from 'vitest'
import { merge } from './merge.ts'

const base = { first: 1, last: 1, note: '' }
const group = [['first', 'last']] as const

test('keeps the changes of others in the fields that the editor left unchanged', () => {
  expect(merge(base, { ...base, note: '他の人' }, { ...base, first: 2 })).toEqual({
    changes: { first: 2 },
    mixed: { first: 2, last: 1, note: '他の人' },
    clashes: [],
  })
})

test('reports no conflict when both made the same change', () => {
  const both = { ...base, first: 2 }
  expect(merge(base, both, both)).toEqual({ changes: {}, mixed: both, clashes: [] })
})

test('reports a field that both changed, with the value of the editor', () => {
  expect(merge(base, { ...base, first: 2 }, { ...base, first: 3 })).toEqual({
    changes: { first: 3 },
    mixed: { ...base, first: 3 },
    clashes: ['first'],
  })
})

test('reports a group when the editor and others changed different fields of the group', () => {
  expect(merge(base, { ...base, last: 2 }, { ...base, first: 3 }, group)).toEqual({
    changes: { first: 3, last: 1 },
    mixed: { ...base, first: 3, last: 1 },
    clashes: ['first', 'last'],
  })
})

test('reports no conflict in a group when the editor only repeated a change by others', () => {
  const current = { ...base, first: 2, last: 2 }
  expect(merge(base, current, { ...base, first: 2 }, group)).toEqual({ changes: {}, mixed: current, clashes: [] })
})

test('reports each differing field when the seen version is unknown', () => {
  expect(merge(null, base, { ...base, note: '新しい' })).toEqual({
    changes: { note: '新しい' },
    mixed: { ...base, note: '新しい' },
    clashes: ['note'],
  })
})
