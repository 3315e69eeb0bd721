import * as build from 'virtual:react-router/server-build'
import { expect, test } from 'vitest'
import type { Handle } from '../../app/chrome/page-meta.tsx'
import { handleAt, sharedPage } from './page-handles.ts'

// A page is a route with a component.
const pages = Object.entries(build.routes).filter(([id, route]) => id !== 'root' && route?.module.default)

test.for(pages)('finds the cache rule and parameters of %s', ([id, route]) => {
  const { cache, parameters = {}, inSitemap = false } = (route?.module.handle ?? {}) as Partial<Handle>
  expect(['minute', 'day', 'browser', 'none'], id).toContain(cache)
  for (const use of Object.values(parameters)) expect(['key', 'dialog', 'uncached'], id).toContain(use)
  // All guests share a page that is in the sitemap, except the form for tables, which contains its time of rendering.
  if (inSitemap) expect(cache).toBe(id === 'tables/ask-page' ? 'none' : 'minute')
})

test('finds the handle of a page, and of its data request', () => {
  for (const path of ['/', '/_.data', '/dining', '/dining.data', '/p/story'])
    expect(handleAt(path).inSitemap).toBe(true)
  expect(handleAt('/dining/new/add').cache).toBe('browser')
  expect(handleAt('/site').cache).toBe('none')
  expect(handleAt('/calendar.ics').cache).toBe('day')
  expect(handleAt('/nowhere').inSitemap).toBeUndefined()
})

test.each(['/', '/table', '/table/some-id', '/dining', '/calendar', '/nowhere'])(
  'finds the handle of the English page of %s, and of its data request',
  (path) => {
    const englishPath = path === '/' ? '/en' : `/en${path}`
    expect(handleAt(englishPath)).toBe(handleAt(path))
    expect(handleAt(`${englishPath}.data`)).toBe(handleAt(path))
  },
)

test.for([
  ['/dining', false],
  ['/calendar?month=2026-11', true],
  ['/p/story', true],
  ['/nowhere', false],
] as const)('returns whether %s is one of any number of URLs: %s', ([path, expected]) => {
  expect(sharedPage(new Request(`http://localhost${path}`), 'http://localhost')?.isOneOfMany).toBe(expected)
})

test.each([
  ['/dining', '/dining'],
  ['/dining?utm_source=x&gclid=y', '/dining'],
  ['/dining?month=2026-11&x', '/dining'],
  ['/dining?edit=1', null],
  ['/dining/1/edit', null],
  ['/bussinessdays?x=1', '/bussinessdays'],
  ['/bussinessdays?table=special', null],
  ['/bussinessdays?day=2026-11-21', null],
  ['/bussinessdays?by=day', null],
  ['/today', '/today'],
  ['/today?day=2026-11-21', null],
  ['/privacy?from=mail', '/privacy'],
  ['/calendar?month=2026-11&utm_medium=z', '/calendar?month=2026-11'],
  ['/calendar?x=1&month=2026-11&month=2026-12', '/calendar?month=2026-11'],
  ['/calendar?day=2026-11-03&x', '/calendar?day=2026-11-03'],
  ['/calendar?day=2026-02-31', '/calendar?day=2026-02-31'],
  ['/calendar?month=2026-11&event=1', null],
  ['/calendar?pick', null],
  ['/calendar?month=x&in=y', null],
  ['/calendar?year=2026&in=11', null],
  ['/_.data', '/_.data'],
  ['/calendar.ics?from=phone', '/calendar.ics'],
  ['/calendar/1.ics', null],
  ['/dining.data?_routes=x,root,y', '/dining.data?_routes=root'],
  ['/dining.data?_routes=shop%2Fdining-page%2Croot', '/dining.data?_routes=root%2Cshop%2Fdining-page'],
  ['/dining?_routes=root', '/dining'],
  ['/login', null],
  ['/mail', null],
  ['/memberlist', null],
  ['/tennisrelated/1/show', null],
  ['/p/story?x=1', '/p/story'],
  ['/Dining', null],
  ['/unknown', '/*'],
  ['/wp-login.php?x=1', '/*'],
  ['/unknown/deeper.data', '/*.data'],
])('maps %s to the shared URL %s', (path, url) => {
  const shared = sharedPage(new Request(`http://localhost${path}`), 'http://localhost')
  expect(shared?.url ?? null).toBe(url && `http://localhost${url}`)
})

test('shares no response to a write request', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const request = new Request('http://localhost/dining', { method })
    expect(sharedPage(request, 'http://localhost'), method).toBeNull()
  }
})
