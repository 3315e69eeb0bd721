import type { BrowserContext } from '@playwright/test'
import { choosePhotograph, completeOwnerAndShopSteps, startSiteWithSetupKey } from './first-evening.ts'
import { Thumb } from './taps.ts'
import { expect, getNotice, phone, test } from './visitors.ts'

// Each test starts its own site.
test.slow()

const shop = { name: '酒場 宵', telephone: '075-123-4567', postalCode: '6050001', address: '京都市東山区葵町1-2' }
const owner = { name: '宵 太郎', email: 'yoi@example.com', password: 'konbanwa-55' }

for (const [sampleShop, limits] of [
  ['no', { taps: 35, keys: 75 }],
  // In this run, the owner keeps the dishes and the image of the sample shop.
  ['yes', { taps: 28, keys: 75 }],
] as const) {
  test(`sets up a bar in ${limits.taps} taps and ${limits.keys} keys when SAMPLE_SHOP is ${sampleShop}`, async ({
    browser,
  }) => {
    await using site = await startSiteWithSetupKey({ SAMPLE_SHOP: sampleShop })
    const settings = { viewport: phone, hasTouch: true, baseURL: site.address, reducedMotion: 'reduce' } as const
    const context = await browser.newContext(settings)
    const page = await context.newPage()
    const thumb = new Thumb()
    const next = () => thumb.tap(page.getByRole('button', { name: /^(?:保存して、)?次へ$/ }))
    await completeOwnerAndShopSteps(page, thumb, { welcome: site.welcome, owner, shop })
    const hour = (groupName: string, edge: string) => page.getByLabel(new RegExp(`^${groupName} 第1部.* ${edge}の時$`))
    const day = (groupName: string, name: string) =>
      page
        .getByRole('group', { name: groupName, exact: true })
        .locator('label', { has: page.getByLabel(name, { exact: true }) })
    await thumb.choose(hour('営業時間', '開始'), '17')
    await thumb.choose(hour('営業時間', '終了'), '23')
    await thumb.tap(day('定休日', '日曜日'))
    await thumb.tap(page.locator('summary', { hasText: '時間の異なる曜日を追加' }).first())
    await expect(hour('営業時間 2', '開始')).toHaveValue('17')
    for (const name of ['金曜日', '土曜日']) await thumb.tap(day('営業時間 2', name))
    await thumb.choose(hour('営業時間 2', '終了'), '02')
    await next()

    await expect(page).toHaveURL('/welcome/pictures')
    if (sampleShop === 'yes') await thumb.tap(page.getByRole('link', { name: 'あとで設定する' }))
    else {
      await choosePhotograph(page, thumb)
      await next()
    }
    await expect(page).toHaveURL('/welcome/pages')
    if (sampleShop === 'yes')
      for (const use of ['テニスサークル', '仕事の紹介']) await thumb.tap(page.getByLabel(new RegExp(`^${use}`)))
    await thumb.tap(page.getByRole('button', { name: '保存して、サイトを見る' }))
    await expect(page).toHaveURL('/')
    const bar = page.getByRole('navigation', { name: '管理メニュー' })
    if (sampleShop === 'no') {
      await thumb.tap(bar.getByRole('link', { name: 'お料理' }))
      await thumb.tap(page.getByRole('link', { name: '料理を追加' }))
      const sheet = page.getByRole('dialog')
      await thumb.fillIn(sheet, { 品名: '宵の膳', 価格: '980' })
      await thumb.tap(sheet.getByRole('button', { name: '追加する' }))
      await expect(getNotice(page, '追加しました。')).toBeVisible()
    }
    await thumb.tap(bar.getByRole('link', { name: '本日の営業' }))
    await expect(page.getByRole('heading', { level: 1, name: '本日の営業' })).toBeVisible()
    expect(thumb.taps).toBeLessThanOrEqual(limits.taps)
    expect(thumb.keys).toBeLessThanOrEqual(limits.keys)

    // The sample content mentions the circle, so the removal of the sample must also remove these texts.
    if (sampleShop === 'yes') {
      await page.getByRole('button', { name: '見本の内容をまとめて削除する' }).tap()
      await expect(getNotice(page, /^見本の内容を\d+件削除しました/)).toBeVisible()
    }
    const staff = await browser.newContext({ baseURL: site.address })
    await hire(context, staff)
    const guest = await browser.newContext({ baseURL: site.address })
    // The bin and the history still contain the sample content.
    const historyPaths = sampleShop === 'yes' ? ['/bin', '/site', '/staff/'] : []
    for (const [who, visitor] of Object.entries({ guest, staff, owner: context })) {
      const read = await crawl(visitor, historyPaths)
      expect(read.pages, who).toBeGreaterThan(who === 'guest' ? 8 : 12)
      expect(read.found, who).toEqual([])
    }
    for (const visitor of [staff, guest, context]) await visitor.close()
  })
}

async function hire(owner: BrowserContext, staff: BrowserContext) {
  const invite = { intent: 'invite', name: '宵 花', role: 'editing' }
  const { origin } = new URL((await owner.request.get('/')).url())
  const made = await owner.request.post('/staff', { form: invite, headers: { origin } })
  const link = /\/invitation\?key=[\w-]+/.exec(await made.text())?.[0] ?? ''
  const key = new URLSearchParams(link.split('?')[1]).get('key') ?? ''
  const account = { name: '宵 花', email: 'hana@example.com', password: 'konbanwa-66' }
  const form = { intent: 'sign up', key, ...account }
  expect((await staff.request.post(link, { form, headers: { origin } })).status()).toBeLessThan(400)
}

const CIRCLE_WORDS = /サークル|テニス|会員|入会|メンバー/
// The paths of the circle setting and of the hidden pages that only the owner can open. The crawl skips these paths.
const CIRCLE_PATHS =
  /^\/(?:pages$|welcome|tennisrelated|memberlist|membercreate|videoproduction|municipalarchitect|webdesign|vbacreate|socialefficiency)|^\/pages\/(?:tennisrelated|memberlist)\/|databasename=tennisrelated/
const startPaths = [
  ...['/', '/login', '/emaillogin', '/resetpassword', '/account', '/account/data', '/privacy', '/today'],
  ...['/bussinessdays', '/sitemap.xml', '/manifest.webmanifest', '/calendar.ics', '/robots.txt', '/_.data'],
  ...['/access.data', '/site', '/staff', '/bin', '/backup', '/inbox', '/dining/new/add', '/firestoreservice'],
  ...['/pages/login/edit', '/calendar?day=2027-01-15', '/bussinessdays?table=special', '/pages/dining/edit'],
  '/pages/mail/edit',
]

/** Reads every linked page with its title, metadata and data. Returns all mentions of a circle. */
async function crawl(visitor: BrowserContext, excluded: string[]) {
  const mentions: string[] = []
  const paths = new Set<string>(startPaths)
  // The loop also visits elements that are added during the iteration.
  for (const path of paths) {
    if (CIRCLE_PATHS.test(path) || excluded.some((part) => path.startsWith(part))) continue
    const response = await visitor.request.get(path)
    if (response.status() >= 500) mentions.push(`${path}: ${response.status()}`)
    const text = await response.text()
    const mention = CIRCLE_WORDS.exec(text)
    if (mention) mentions.push(`${path}: ${text.slice(Math.max(0, mention.index - 60), mention.index + 60)}`)
    for (const [, href = ''] of text.matchAll(/<a [^>]*href="(\/[^"#]*)/g)) {
      const link = href.replaceAll('&amp;', '&')
      // The crawl reads only one month of the calendar, as an example of all months.
      if (!/month=|year=|^\/backup\/file|^\/logout/.test(link)) paths.add(link)
    }
  }
  return { found: mentions, pages: paths.size }
}
