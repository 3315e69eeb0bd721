import { afterEach, expect, test, vi } from 'vitest'
import { onlyOpens } from './only-opens.ts'

afterEach(() => void vi.unstubAllGlobals())

const matches = [
  { route: {} },
  { route: { handle: { parameters: { month: 'key', event: 'dialog', pick: 'dialog' } } } },
]

const goes = (from: string, to: string, state: object = { revalidation: 'idle', fetchers: new Map() }) => {
  vi.stubGlobal('window', { __reactRouterDataRouter: { state: { matches, ...state } } })
  const [currentUrl, nextUrl] = [new URL(from, 'http://localhost'), new URL(to, 'http://localhost')]
  return onlyOpens({ currentUrl, nextUrl })
}

test('what lies on a page is opened, changed and closed without reading anything', () => {
  expect(goes('/calendar', '/calendar?event=1')).toBe(true)
  expect(goes('/calendar?month=2026-11&event=1', '/calendar?month=2026-11&event=2')).toBe(true)
  expect(goes('/calendar?month=2026-11&pick=', '/calendar?month=2026-11')).toBe(true)
})

test('another month, another page and the same address are something else', () => {
  expect(goes('/calendar?month=2026-11&event=1', '/calendar?month=2026-12')).toBe(false)
  expect(goes('/calendar?event=1', '/dining')).toBe(false)
  expect(goes('/calendar?event=1', '/calendar?event=1')).toBe(false)
})

test('a reading that is on its way is not given up for it', () => {
  const [from, to] = ['/calendar', '/calendar?event=1']
  expect(goes(from, to, { revalidation: 'loading', fetchers: new Map() })).toBe(false)
  expect(goes(from, to, { revalidation: 'idle', fetchers: new Map([['a save', { state: 'loading' }]]) })).toBe(false)
})
