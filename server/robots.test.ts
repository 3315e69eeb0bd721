import robotsParser from 'robots-parser'
import { expect, test } from 'vitest'
import routes from '../app/routes.ts'
import { sampleSite } from './testing.ts'

// Forms, pages for signed-in visitors, and endpoints for programs.
const forbidden = [
  ...['/bussinessdays', '/today', '/inbox', '/site', '/pages', '/pages/1/edit', '/staff', '/staff/1', '/invitation'],
  '/tables',
  ...['/welcome', '/welcome/shop', '/welcome/hours', '/welcome/pictures', '/welcome/pages', '/bin', '/backup', '/undo'],
  ...['/history/card/1', '/login', '/login/finished', '/login/welcome', '/emaillogin', '/signupform', '/resetpassword'],
  ...['/verifyemail', '/undoaddress', '/account', '/account/data', '/logout', '/membercreate', '/membercreate/1'],
  ...['/answer', '/unsubscribe', '/memberlist.csv', '/memberlist/message'],
  ...['/calendar/1/people', '/calendar/1/people.csv', '/calendar/occurrences'],
  ...['/memberdetailconfirm', '/memberlist', '/firestoreservice', '/dining/new/add', '/dining/1/edit'],
  ...['/dining/sections/new/add', '/dining/sections/1/edit', '/dining/prices'],
  ...['/notices', '/notices/new/add', '/notices/1/edit', '/translations', '/translations/en/dining'],
  ...['firestoreservice', 'webdesignincludebackend', 'tennisrelated', 'socialefficiency'].flatMap((page) => [
    `/${page}/1/edit`,
    `/${page}/1/add`,
  ]),
]
// Pages for guests, including pages with noindex, because a search engine must read the noindex.
const allowed = [
  ...[
    '/',
    '/home',
    '/infomation',
    '/information',
    '/businessdays',
    '/dining',
    '/dining/print',
    '/access',
    '/calendar',
    '/calendar.ics',
    '/calendar/member.ics',
  ],
  ...[
    '/calendar/1.ics',
    '/mail',
    '/table',
    '/table/1',
    '/privacy',
    '/p/story',
    '/videoproduction',
    '/municipalarchitect',
    '/vbacreate',
  ],
  ...['/webdesignincludebackend', '/webdesignincludebackend/1/none', '/tennisrelated', '/tennisrelated/1/none'],
  ...['/socialefficiency', '/socialefficiency/1/none', '/accessibility', '/unknown'],
]
// Own pages whose paths begin or end like the path of a form.
const ownPagePaths = ['/p/site', '/p/edit', '/p/add', '/p/staff']
const files = [
  ...[
    '/sitemap.xml',
    '/robots.txt',
    '/manifest.webmanifest',
    '/push-worker.js',
    '/favicon.ico',
    '/assets/entry.js',
    '/art/story.webp',
  ],
  ...['/pictures/1-800.webp', '/seal/0123456789abcdef/share.jpg', '/fonts/heading.woff2', '/q/dining'],
]
const calls = ['/api/live', '/api/mail', '/api/auth/session', '/login/google', '/backup/file']

/** Whether a path matches the route. */
function matchesRoute(route: string, path: string) {
  return new RegExp(`^/${route.replace(/:\w+/g, '[^/]+').replace('*', '\\w+')}$`).test(path)
}

const readRobots = async () => {
  const site = await sampleSite()
  const [text, map] = [await site.text('/robots.txt'), await site.text('/sitemap.xml')]
  const robots = robotsParser('http://localhost/robots.txt', text)
  return { text, robots, pages: [...map.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => url) }
}

test('covers every route with an allowed or forbidden path', () => {
  const paths = [...forbidden, ...allowed].filter((path) => path !== '/unknown')
  const flat = routes.flatMap((route) => [
    route.path,
    ...(route.children ?? []).map((child) => `${route.path}/${child.path}`),
  ])
  const unlisted = flat.filter((route) => route && route !== '*' && !paths.some((path) => matchesRoute(route, path)))
  expect(unlisted).toEqual([])
})

test('allows crawlers every guest page, every file that a page loads, and the sitemap', async () => {
  const { robots, pages } = await readRobots()
  expect(robots.getSitemaps()).toEqual(['http://localhost/sitemap.xml'])
  expect(pages.length).toBeGreaterThan(5)
  const urls = [...allowed, ...ownPagePaths, ...files].map((path) => `http://localhost${path}`)
  expect([...urls, ...pages].filter((url) => !robots.isAllowed(url, 'Googlebot'))).toEqual([])
})

test('forbids crawlers every form and every page for signed-in visitors', async () => {
  const { robots } = await readRobots()
  const urls = [...forbidden, ...calls]
    .flatMap((path) => [path, `${path}?q=1`])
    .map((path) => `http://localhost${path}`)
  expect(urls.filter((url) => !robots.isDisallowed(url, 'Googlebot'))).toEqual([])
})

test('writes only robots.txt rules that match a page', async () => {
  const { text, robots } = await readRobots()
  const lines = new Set(
    [...forbidden, ...calls, '/sitemap.xml'].map((path) =>
      robots.getMatchingLineNumber(`http://localhost${path}`, 'Googlebot'),
    ),
  )
  const rules = text.split('\n').flatMap((line, index) => (/^(?:Dis)?allow:/i.test(line) ? [index + 1] : []))
  expect(rules.filter((line) => !lines.has(line))).toEqual([])
})
