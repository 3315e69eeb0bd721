import type { ShouldRevalidateFunctionArgs } from 'react-router'
import { expect, test } from 'vitest'
import { needsItsData } from './needs-its-data.ts'

const asked = (from: string, to: string, further: { actionStatus?: number; defaultShouldRevalidate?: boolean }) =>
  needsItsData({
    currentUrl: new URL(from, 'http://localhost'),
    nextUrl: new URL(to, 'http://localhost'),
    defaultShouldRevalidate: false,
    ...further,
  } as ShouldRevalidateFunctionArgs)
const [november, december] = ['/calendar?month=2026-11', '/calendar?month=2026-12']

test('a page on its way to another address reads that one’s data, whatever a fetcher was answered meanwhile', () => {
  expect(asked(november, december, { actionStatus: 409 })).toBe(true)
  expect(asked(november, december, {})).toBe(true)
})

test('where nothing can be reached nothing is read, and a page that stays reads only what the router says', () => {
  expect(asked(november, december, { actionStatus: 503 })).toBe(false)
  expect(asked(november, november, { actionStatus: 409 })).toBe(false)
  expect(asked(november, november, { actionStatus: 200, defaultShouldRevalidate: true })).toBe(true)
})
