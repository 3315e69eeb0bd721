import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { addEvent } from '../../app/calendar/events.server.ts'
import {
  type CardFields,
  type CollectionName,
  collectionNames,
  collectionOf,
  collections,
} from '../../app/cards/card.ts'
import { addCard, deleteCard } from '../../app/cards/cards.server.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { memberFieldNames } from '../../app/members/member.ts'
import { saveSection } from '../../app/sections/sections.server.ts'
import { openDatabase } from '../../db/open.ts'
import { signIn, startEditingSite } from './editors.ts'
import { navigateInClient } from './navigate-in-client.ts'
import { test as baseTest, expect, open, pressAndRead, recordErrors, waitForControls } from './visitors.ts'

const texts = [
  '<script>window.ran = 1</script>',
  '</script><script>window.ran = 1</script>',
  '<!--<script>',
  ']]></style></title></textarea><svg onload="window.ran = 1">',
  '"><img src=x onerror="window.ran = 1">',
  "' autofocus onfocus='window.ran = 1",
  '<iframe srcdoc="<script>parent.ran = 1</script>"></iframe>',
  '<img src="https://evil.example/pixel.gif"><link rel=stylesheet href=//evil.example/a.css>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/"><base href="https://evil.example/">',
  '\u2028\u2029\\"-alert(1)-"{{constructor.constructor("window.ran = 1")()}}',
]
const links = [
  'javascript:window.ran=1',
  ' javascript:window.ran=1',
  'java\nscript:window.ran=1',
  '\u0001javascript:window.ran=1',
  'JaVaScRiPt:window.ran=1',
  'javascript://evil.example/%0awindow.ran=1',
  'data:text/html,<script>window.ran=1</script>',
  'vbscript:window.ran=1',
  '//evil.example/',
  '/\\evil.example/',
  '/" onmouseover="window.ran = 1',
]
const videos = [
  'javascript:window.ran=1//youtube.com/watch?v=aqz-KE-bpKQ',
  'https://youtube.com.evil.example/watch?v=aqz-KE-bpKQ',
  'https://www.youtube.com/watch?v="><script>window.ran=1</script>',
  'https://www.youtube.com/embed/../../evil',
  'data:text/html,<script>window.ran=1</script>',
]
const images = [
  'https://evil.example/pixel.gif',
  '//evil.example/pixel.gif',
  'x" onerror="window.ran = 1',
  '/pictures/a-800.jpg" onerror="window.ran = 1',
  'javascript:window.ran=1',
  '/art/../../evil-800.jpg',
]
const picture = '/art/dish-soba-800.jpg'
const pick = <T>(list: T[], index: number) => list[index % list.length] as T

/** Returns the values of a card, with one payload in each field. The form of the card would reject these values. */
function createCardFields(collection: CollectionName, index: number): Partial<CardFields> {
  const text = pick(texts, index)
  const all: Partial<CardFields> = {
    order: index,
    title: text,
    content: text,
    linkUrl: pick(links, index),
    youtubeUrl: pick(videos, index),
    image: index % 3 === 0 ? pick(images, index / 3) : picture,
    imageAlt: text,
    text1: text,
    text2: text,
    text3: text,
    allergens: text,
    section: `section-${index % texts.length}`,
  }
  const fieldNames: readonly string[] = collectionOf(collection).fields
  return Object.fromEntries(Object.entries(all).filter(([field]) => fieldNames.includes(field)))
}

const author = { accountId: 'owner', at: new Date().toISOString() }

const test = baseTest.extend<{ stored: { url: string; edits: string[] }; edits: string[] }>({
  stored: async ({ startOnce }, use) => use(await startOnce('site with scripts stored', startWithScripts)),
  site: ({ stored }, use) => use(stored.url),
  edits: ({ stored }, use) => use(stored.edits),
})
// Both tests share one site, in one worker.
test.describe.configure({ mode: 'default' })
async function startWithScripts() {
  const folder = await mkdtemp(join(tmpdir(), 'noren-scripts-'))
  const file = join(folder, 'noren.db')
  const { service: url, stop } = await startEditingSite({ file })
  const db = await openDatabase({ file })
  const edits: string[] = []
  await db.deleteFrom('cards').execute()
  for (const [index, text] of texts.entries())
    await saveSection(db, `section-${index}`, { version: 0, facts: { name: text, introduction: text } }, author)
  for (const collection of collectionNames) {
    for (let index = 0; index < 20; index += 1) {
      const id = await addCard(db, collection, createCardFields(collection, index), author)
      if (index < 12 && collection === 'municipalarchitect') edits.push(`/firestoreservice/${id}/edit`)
    }
    for (const [index] of texts.entries()) {
      const id = await addCard(db, collection, createCardFields(collection, index), author)
      await deleteCard(db, { id, version: 1 }, author)
    }
  }
  const event = { day: dayInJapan(Date.now()), startTime: null, endTime: null, deadline: null, capacity: null }
  for (const text of texts) {
    const eventFields = { title: text, content: text, attendance: true }
    await addEvent(db, crypto.randomUUID(), { ...event, ...eventFields } as never, author)
  }
  const text = texts.join(' ').slice(0, 500)
  const facts = Object.fromEntries(
    [
      ...['description', 'address', 'hoursInWords', 'payment', 'parking', 'seats', 'telephone', 'mapQuery'],
      ...['mapPosition', 'wayPicture', 'wayPictureAlt'],
    ].map((name) => [name, text]),
  )
  const siteSettings = { ...facts, name: '</script><script>ran = 1</script>', seal: '"<', directions: texts }
  await db
    .updateTable('site')
    .set({ facts: JSON.stringify(siteSettings) })
    .execute()
  const textFields = memberFieldNames.filter((name) => name !== 'accountname')
  await db
    .updateTable('members')
    .set(Object.fromEntries(textFields.map((name) => [name, text])))
    .execute()
  await db.destroy()
  return {
    service: { url, edits },
    stop: async () => {
      await stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Returns injected markup and foreign URLs of the open page, or of the HTML of a page. Runs in the page. */
function findHarm(html: string | null) {
  const root = html === null ? document : new DOMParser().parseFromString(html, 'text/html')
  const elements = [...root.querySelectorAll('*')]
  const handlers = elements.filter((element) => element.getAttributeNames().some((name) => /^on/i.test(name)))
  const addresses = [...root.querySelectorAll<HTMLAnchorElement>('a[href], area[href], base, form[action]')].map(
    (link) => link.getAttribute('href') ?? link.getAttribute('action') ?? '',
  )
  return {
    ran: 'ran' in window,
    scripts: [...root.scripts]
      .map(({ text }) => text.slice(0, 200))
      .filter((text) => /^\s*(?:window\.)?ran\b/.test(text)),
    handlers: handlers.map(({ outerHTML }) => outerHTML.slice(0, 200)),
    addresses: addresses.filter(
      (address) =>
        !/^(?:https:\/\/|webcal:\/\/|mailto:|tel:|intent:0,0\?q=[^#]*#Intent;scheme=geo;[^;#]*;end$|\/(?!\/|\\)|#|\?|\.$)/.test(
          address,
        ),
    ),
    frames: root.querySelectorAll('iframe, object, embed, base, meta[http-equiv]').length,
    pictures: [...root.querySelectorAll('img')].map(({ src }) => src).filter((src) => !src.startsWith(location.origin)),
  }
}
const harmless = { ran: false, scripts: [], handlers: [], addresses: [], frames: 0, pictures: [] }

/** Asserts that the open page has run no injected script and contains no executable markup or foreign URL. */
async function expectHarmless(page: Page) {
  expect(await page.evaluate(findHarm, null), page.url()).toEqual(harmless)
}

/** Asserts the same about the HTML of pages, without their scripts. */
async function expectHarmlessHtml(page: Page, paths: string[]) {
  for (const path of paths) {
    const html = await (await page.request.get(path)).text()
    // The browser would report the styles of the parsed HTML as violations of the security policy of the open page.
    expect(await page.evaluate(findHarm, html.replaceAll('<style', '<span')), `HTML of ${path}`).toEqual(harmless)
  }
}

/** Opens the first path, and the others in the client. `replaced` matches an element that each page replaces. */
async function walk(page: Page, [first = '', ...others]: string[], replaced?: string) {
  await open(page, first)
  await expectHarmless(page)
  for (const path of others) {
    await navigateInClient(page, path, replaced)
    await waitForControls(page)
    await expectHarmless(page)
  }
}

const pages = [
  '/',
  '/infomation',
  '/access',
  '/calendar',
  '/today',
  ...new Set(Object.values(collections).map(({ path }) => path)),
]

/** One page of each component. The pages of works all render `Introduction`. */
const openedPages = ['/', '/infomation', '/access', '/calendar', '/today', '/dining', '/vbacreate', '/videoproduction']

test('runs no stored script and requests no other site on public pages', async ({ page }) => {
  page.on('dialog', () => expect.soft('a dialog', 'opened by what is stored').toBe(''))
  for (const path of openedPages) {
    await open(page, path)
    await expectHarmless(page)
    if (path === '/dining')
      await expect(page.getByRole('heading', { name: pick(texts, 0), exact: true }).first()).toBeVisible()
  }
  await expectHarmlessHtml(page, pages)
})

test('runs no stored script in forms, previews, history, the bin or the member list', async ({
  openPage,
  site,
  edits,
}) => {
  const page = await openPage()
  await signIn('owner', page, site)
  const unexpectedNoise = recordErrors(page, site, [])
  page.on('dialog', () => expect.soft('a dialog', 'opened by what is stored').toBe(''))
  await walk(page, ['/site', '/bin', '/memberlist', '/', '/dining', '/calendar', '/today', '/municipalarchitect'])
  await walk(page, edits, 'form')
  await expectHarmlessHtml(page, [...pages, ...edits, '/site', '/bin', '/memberlist'])
  expect(unexpectedNoise()).toEqual([])

  // Sends the payloads through the form as well.
  const path = '/firestoreservice?databasename=socialefficiency'
  await open(page, path)
  const fields = { title: texts[4] ?? '', content: texts.join('\n'), imageAlt: texts[5] ?? '' }
  for (const [name, text] of Object.entries(fields)) await page.locator(`[name=${name}]`).fill(text)
  const field = page.getByRole('textbox', { name: 'リンク先' })
  await field.fill(links[0] ?? '')
  await page.getByRole('button', { name: '追加する' }).click()
  const error = 'リンクは https:// などで始まるアドレスか'
  await expect(page.getByText(error)).toBeVisible()
  for (const linkUrl of links) {
    const form = { intent: 'add', ...fields, linkUrl }
    const response = await page.request.post(path, { form, headers: { origin: site }, maxRedirects: 0 })
    expect(response.status(), linkUrl).toBe(400)
    expect(await response.text(), linkUrl).toContain(error)
  }
  await field.fill('/dining')
  await pressAndRead(page, '追加する', '追加しました。')
  await open(page, '/socialefficiency')
  await expectHarmless(page)
  expect(unexpectedNoise()).toEqual([])
})
