import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { scheduleRows } from '../app/hours/business-day.ts'
import { copySqlite, freshSqlite } from '../db/testing.ts'
import { routePaths } from '../tests/fuzz/hostile-addresses.ts'
import { fillSampleShop } from './sample-shop.ts'
import { noon, sampleSite } from './testing.ts'
import { type CrawledPage, crawl, emptyHeadings, readableText, sha256 } from './testing-crawl.ts'
import { createFormVisitor, unticked } from './testing-forms.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

/** Texts that only the sample shop contains. A site without the sample shop must never show them. */
const sampleTexts = {
  'the name': ['ダイニング結', '結び小路', '結びます'],
  'the seal': ['結'],
  home: ['朝の湯気', '出汁の香り', '京都の朝ごはん', '店の風景', '赤い暖簾', '風にゆれる'],
  'the story': ['三つ星', '腕を磨いた', '笑顔が見たくて', '目には見えない手間', '味の奥行き'],
  hours: ['朝の部', '昼の部', '朝とお昼', '木曜日から月曜日', '7:30', '07:30', '11:30', '12月31日（木）から'],
  mornings: ['朝ごはん', 'お昼', 'おばんざい'],
  dishes: ['土鍋', '出汁', '炊き込み', 'わらび餅', '新そば', '西京焼き'],
  'the way': ['605-0000', '075-000-0000', '八坂の塔', '祇園', '東山区', '小上がり', '専用の駐車場はございません'],
  'for machines': ['Japanese'],
  'the circle’s life': ['練習会', '親睦', 'テニス練習', '店に集う'],
  'the mail form': ['お仕事のご依頼', '制作とシステム'],
  portfolio: ['三分の映像', '眠っていた図面', '迷わない管理画面', '請求書を、ひと押しで', '乗り合いバス'],
  pictures: ['/art/'],
}

/** Default texts of the circle and the portfolio. A shop without circle and portfolio must show none of these texts. */
const hiddenPageTexts = {
  'the circle': ['サークル', 'テニス', 'Tennis', 'tennisrelated'],
  'the portfolio': [
    ...['動画の作成', '動画サイト', 'videoproduction', '建築', 'municipalarchitect', 'ウェブデザイン', 'システム制作'],
    ...['webdesign', 'VBA', 'vbacreate', '社会の効率化', 'socialefficiency'],
  ],
}

/** Default texts that the owner in this test has removed or replaced. */
const replacedTexts = {
  'links that are taken away': ['メンバー一覧'],
  titles: ['会員ログイン', '店舗案内', 'お料理', 'Infomation<', '"Infomation"'],
  'for want of cards': ['ただいま準備しております'],
  'the first palette': ['#f6f1e7', 'data-palette="shu"'],
}

/** The URLs where crawlers and visitors begin, and every path without a parameter. */
const startPaths = ['/', '/sitemap.xml', '/robots.txt', '/manifest.webmanifest', '/calendar.ics', '/favicon.ico']
const staticPaths = routePaths.filter((path) => !/[:*]/.test(path))
const hiddenPages = [
  ...['videoproduction', 'municipalarchitect', 'webdesignincludebackend', 'vbacreate', 'socialefficiency'],
  'tennisrelated',
]

let openEveningShop: ReturnType<typeof copySqlite> | undefined
const createEveningShop = async (verifies = false) => {
  openEveningShop ??= replacedSample()
  const open = await openEveningShop
  return sampleSite(await open(), {}, { verifies })
}

/** Every page of the sample shop and its data, as guests see them. */
let samplePages: Promise<CrawledPage[]> | undefined
const crawlSample = () => {
  samplePages ??= sampleSite().then((site) => crawl(site, 'guest', [...startPaths, ...staticPaths]))
  return samplePages
}

test('leaves no trace of the sample shop when an owner replaces its content page by page', async () => {
  const site = await createEveningShop()
  const guest = await crawl(site, 'guest', [...startPaths, ...staticPaths])
  expect(guest.length).toBeGreaterThan(80)
  expect(guest.find(({ url }) => url === '/')?.html).toContain('酒場 よいやみ')
  await expectNoTrace(guest, { ...sampleTexts, ...hiddenPageTexts, ...replacedTexts })
  for (const id of hiddenPages) expect.soft(guest.find(({ url }) => url === `/${id}`)?.status, id).toBe(404)
})

test('removes the whole sample shop with one button when the owner has changed only the shop name', async () => {
  const site = await sampleSite()
  await site.people()
  const { fill } = createFormVisitor(site, 'administrator')
  await fill('/site', { name: '酒場 よいやみ', seal: '宵' })
  await fill('/today', { intent: 'remove the sample' })
  const guest = await crawl(site, 'guest', [...startPaths, ...staticPaths], { withData: false })
  await expectNoTrace(guest, sampleTexts)
})

test('mentions no circle on pages and in e-mails when the shop has no circle', async () => {
  const site = await createEveningShop(true)
  const { text } = await followRedirect(site, 'signedIn', '/login/welcome')
  expect(text).toContain('酒場 よいやみ')
  expect((await site.as('signedIn', '/membercreate')).status).toBe(404)
  const seen = await crawl(site, 'signedIn', ['/', ...staticPaths], { withData: false })
  expect.soft(findTexts(seen, { ...sampleTexts, ...hiddenPageTexts })).toEqual([])
  expect.soft(deadLinks(seen)).toEqual([])

  await createFormVisitor(site, 'administrator').fill('/site', { 'recipients.shop': 'mise@example.jp' })
  const written = { to: 'shop', subject: '貸切', text: '二十人です', from: 'kyaku@example.com', homepage: '' }
  // A form that is sent within a few seconds would be quarantined as spam.
  await site.post('guest', '/mail', { ...written, shownAt: '1' })
  expect(site.mails).toHaveLength(1)
  expect.soft(findTexts(mailsOf(site), { ...sampleTexts, ...hiddenPageTexts })).toEqual([])
  // The calendar form must not mention a circle.
  const calendar = {
    url: '/calendar',
    text: readableText(await createFormVisitor(site, 'administrator').read('/calendar')),
  }
  expect.soft(findTexts([calendar], { circle: ['サークル', 'テニス', '練習'] })).toEqual([])
})

test('uses the name that the owner gave the circle in e-mails, and renders working links', async () => {
  const site = await sampleSite(await freshSqlite(), {}, { verifies: true })
  await site.people()
  const { fill } = createFormVisitor(site, 'administrator')
  await fill('/pages/tennisrelated/edit', { title: '歩こう会', label: '歩こう会' })
  await register(site)
  await fill('/memberlist', {}, '承認する')
  const mails = mailsOf(site)
  expect(mails.length).toBeGreaterThanOrEqual(3)
  for (const { text } of mails) expect(text).toContain('歩こう会')
  expect.soft(findTexts(mails, { circle: ['テニス', 'コート'] })).toEqual([])
  const links = site.mails
    .filter(({ to }) => `${to}`.includes('tabino'))
    .flatMap(({ text }) => text.match(/\/\/localhost\S*/g) ?? [])
  expect(links.length).toBeGreaterThan(0)
  for (const link of links) expect((await site.as('signedIn', link.replace('//localhost', ''))).status, link).toBe(200)
})

test('leaves no heading, link or empty description when an owner empties or hides content', async () => {
  const site = await createEveningShop()
  const { fill } = createFormVisitor(site, 'administrator')
  for (const section of [
    ['seal'],
    ['description'],
    ['postalCode', 'address', 'telephone', 'mapQuery', 'mapPosition', 'directions', 'parking'],
    ['hoursInWords', 'firstSlot', 'secondSlot', 'cuisine', 'seats', 'priceRange', 'payment'],
  ])
    await fill('/site', Object.fromEntries(section.map((name) => [name, ''])))
  const crawlPages = () => crawl(site, 'guest', [...startPaths, ...staticPaths], { withData: false })
  const emptied = await crawlPages()
  expect.soft(poorPages(emptied)).toEqual([])
  for (const id of ['infomation', 'dining', 'access', 'calendar', 'mail'])
    await fill(`/pages/${id}/edit`, { shown: unticked })
  expect.soft(deadLinks(await crawlPages())).toEqual([])
})

test('shows no trace of the sample shop when the site started without a sample shop', async () => {
  const db = await freshSqlite()
  await fillSampleShop(db, { wanted: false, now: noon })
  const site = await sampleSite(db)

  const guest = await crawl(site, 'guest', [...startPaths, ...staticPaths], { withData: false })
  expect(guest.length).toBeGreaterThan(60)
  await expectNoTrace(guest, sampleTexts)

  await createFormVisitor(site, 'guest').fill('/mail', { subject: '予約', text: '二人です', from: 'kyaku@example.com' })
  const messages = await db.selectFrom('messages').selectAll().execute()
  expect(findTexts([{ url: 'the inbox', text: JSON.stringify([messages, site.mails]) }], sampleTexts)).toEqual([])
})

test('finds each of the listed traces in the sample shop', async () => {
  const all = (await crawlSample()).map(({ text }) => text).join('\n')
  const words = Object.values({ ...sampleTexts, ...hiddenPageTexts, ...replacedTexts }).flat()
  expect(words.filter((word) => !all.includes(word))).toEqual([])
  expect((await sampleImageDigests()).size).toBeGreaterThan(20)
})

/**
 * Replaces the sample shop page by page, as an owner would. Removes the unchanged rest with the button on /today.
 * Returns a function that opens a copy of this shop.
 */
async function replacedSample() {
  const site = await sampleSite()
  await site.people()
  const { fill, read } = createFormVisitor(site, 'administrator')
  for (const section of [
    { name: '酒場 よいやみ', seal: '宵', palette: 'ai' },
    { description: '木屋町の路地で、日が暮れてから開く酒場です。' },
    {
      ...{ postalCode: '604-8001', address: '京都市中京区木屋町 見本ビル1階', telephone: '075-111-2222' },
      ...{ mapQuery: '木屋町三条', directions: '三条大橋から西へ歩いて2分', parking: '駐車場はありません。' },
    },
    {
      ...{ hoursInWords: '日が暮れてから、深夜まで。', firstSlot: '夜', secondSlot: '', cuisine: '居酒屋' },
      ...{ seats: '立ち飲み20人', payment: '現金のみ' },
    },
    {
      ...{ 'recipientNames.shop': '酒場', 'recipients.shop': 'yoiyami@example.com' },
      ...{ 'recipientNames.circle': '', 'recipientNames.portfolio': '' },
    },
  ] as Record<string, string>[])
    await fill('/site', section)
  const eveningHours = { starttime1: '18:00', endtime1: '23:30', starttime2: '00:00', endtime2: '00:00' }
  const week = scheduleRows.flatMap((row) =>
    Object.entries(eveningHours).flatMap(([name, time]) => {
      const [hour = '', minute = ''] = (/日$/.test(row) && row.startsWith('祝') ? '00:00' : time).split(':')
      return [[`${row}.${name}_hour`, hour] as const, [`${row}.${name}_minute`, minute] as const]
    }),
  )
  const open = Object.fromEntries(
    scheduleRows.map((row) => [`${row}.open_or_close`, row === '日曜日' ? 'close' : 'open']),
  )
  await fill('/bussinessdays?by=day', { ...Object.fromEntries(week), ...open }, '編集する', 'このまま保存する')

  for (const id of [...hiddenPages, 'memberlist']) await fill(`/pages/${id}/edit`, { shown: unticked })
  const aboutPage = { title: '店のこと', label: '店のこと', english: 'About' }
  const pages: Record<string, Record<string, string>> = {
    home: { title: '木屋町の夜', introduction: '灯りの、\nともるころ。', scenes: '夜の眺め', english: '' },
    infomation: { ...aboutPage, film: '', imageAlt: '', description: '夜の酒場です。' },
    dining: { title: '肴', label: '肴', english: 'Food', empty: '今夜は店でどうぞ。', description: '酒に合う肴です。' },
    access: { title: '道', label: '道', english: '', description: '木屋町の路地です。' },
    calendar: { title: '暦', label: '暦', english: '', description: '店を開ける日です。' },
    mail: { title: '便り', label: '便り', english: '', introduction: '貸切のご相談は、こちらへ。' },
    login: { title: '裏口', label: '裏口', english: '', place: 'none' },
    privacy: { english: '', description: 'お預かりするものについて。' },
  }
  for (const [id, words] of Object.entries(pages)) await fill(`/pages/${id}/edit`, words)
  for (const title of ['焼き鳥', 'もつ煮込み'])
    await fill('/dining/new/add', { title, price: '600', content: '炭で焼きます。', order: '1' }, '追加する')
  const event = { id: randomUUID(), title: '生演奏', content: '二十時から。' }
  await fill('/calendar?day=2026-11-27', event, '追加する')
  await fill('/today', { intent: 'remove the sample' })
  expect(await read('/today')).not.toContain('remove the sample')
  return copySqlite(site.db)
}

/** Registers an account as a member step by step. Returns the pages that appear. */
async function register(site: Site) {
  const { fill, read, blanks } = createFormVisitor(site, 'signedIn')
  const pages: { url: string; text: string }[] = []
  let path: string | null = '/membercreate'
  while (path && pages.length < 9) {
    pages.push({ url: path, text: readableText(await read(path)) })
    if (path.startsWith('/memberlist')) break
    path = await fill(path, await blanks(path, '夜の客'), path.includes('confirm') ? '登録する' : '')
  }
  return pages
}

function mailsOf(site: Site) {
  return site.mails.map((mail) => ({ url: mail.subject, text: readableText(JSON.stringify(mail)) }))
}

/** Follows one redirect and returns the page. */
async function followRedirect(site: Site, person: 'signedIn', path: string) {
  const sent = await site.as(person, path)
  const to = sent.headers.get('location') ?? path
  return { to, text: await (await site.as(person, to)).text() }
}

/** Returns the digests of the images that only the sample has: its logo and the images of its pages. */
async function sampleImageDigests() {
  const pictures = (await crawlSample()).filter(
    ({ url, status }) => status === 200 && /^\/(?:art|seal|pictures)\//.test(url),
  )
  return new Set(pictures.map(({ digest }) => digest).filter((digest) => digest !== sha256(new Uint8Array())))
}

function findTexts(seen: Pick<CrawledPage, 'url' | 'text'>[], traces: Record<string, string[]>) {
  return Object.entries(traces).flatMap(([where, words]) =>
    words.flatMap((word) => {
      // A 404 page repeats its own URL.
      const matches = seen.filter(({ url, text }) => !url.includes(word) && text.includes(word))
      if (matches.length === 0) return []
      const { text = '' } = matches[0] ?? {}
      const excerpt = text.slice(Math.max(0, text.indexOf(word) - 30), text.indexOf(word) + 40).replace(/\s+/g, ' ')
      return [
        `${where}: 「${word}」 at ${matches.map(({ url }) => url).slice(0, 12)} (${matches.length}): …${excerpt}…`,
      ]
    }),
  )
}

async function expectNoTrace(seen: CrawledPage[], traces: Record<string, string[]>) {
  const pictures = await sampleImageDigests()
  expect.soft(findTexts(seen, traces)).toEqual([])
  expect.soft(seen.filter(({ digest }) => pictures.has(digest)).map(({ url }) => url)).toEqual([])
  expect.soft(deadLinks(seen)).toEqual([])
  expect.soft(poorPages(seen)).toEqual([])
}

function deadLinks(seen: CrawledPage[]) {
  return seen.filter(({ from, status }) => from && status >= 400).map(({ url, from }) => `${from} → ${url}`)
}

/** Returns pages without a title, with an empty description, or with a heading without content. */
function poorPages(seen: CrawledPage[]) {
  return seen
    .filter(({ html, status }) => html && status === 200)
    .flatMap(({ url, html }) => [
      ...(/<title>[^<]+<\/title>/.test(html) ? [] : [`${url} has no title`]),
      ...(/<meta name="description" content=""/.test(html) ? [`${url} has an empty description`] : []),
      // An empty form may show an empty preview.
      ...(html.includes('content="noindex') ? [] : emptyHeadings(html)).map(
        (heading) => `${url} says nothing below ${heading}`,
      ),
    ])
}
