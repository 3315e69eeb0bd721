import type { BrowserContext, Page } from '@playwright/test'
import { choosePhotograph, startSiteWithSetupKey } from './first-evening.ts'
import { Thumb } from './taps.ts'
import { expect, expectAccessible, getNotice, phone, test } from './visitors.ts'

// Each test starts its own site.
const shop = { name: '酒場 宵', telephone: '075-123-4567', postalCode: '6050001', address: '京都市東山区葵町1-2' }
const owner = { name: '宵 太郎', email: 'yoi@example.com', password: 'konbanwa-55' }
const settings = { viewport: phone, hasTouch: true, reducedMotion: 'reduce' } as const

test('sets up a bar in 35 taps and 75 keys after all steps were skipped when SAMPLE_SHOP is no', async ({
  browser,
}) => {
  await using site = await startSiteWithSetupKey({ SAMPLE_SHOP: 'no' })
  const context = await browser.newContext({ ...settings, baseURL: site.address })
  const page = await context.newPage()
  const thumb = new Thumb()
  await test.step('lists the skipped steps until the checklist is dismissed', async () => {
    await page.goto(site.welcome)
    // If e-mail is not set up, the password cannot be reset, so the field shows the password.
    await expect(page.getByLabel('パスワード')).toHaveAttribute('type', 'text')
    await completeOwnerStep(page, thumb, () => expectAccessible(page))
    // Each step has a link with this name. The URL changes before the page does, so the link is identified by its target.
    for (const next of ['hours', 'pictures', 'pages'])
      await page.locator(`a[href="/welcome/${next}"]`, { hasText: 'あとで設定する' }).press('Enter')
    await expect(page).toHaveURL('/welcome/pages')
    await page.getByRole('link', { name: 'このままサイトを見る' }).press('Enter')
    await expect(page).toHaveURL('/')
    for (const path of ['/tennisrelated', '/memberlist', '/videoproduction', '/vbacreate'])
      expect((await fetch(`${site.address}${path}`)).status, path).toBe(404)
    await getToolbar(page).getByRole('link', { name: '本日の営業' }).tap()
    const remainingSteps = getChecklistLinks(page)
    await expect(remainingSteps).toHaveText(allSteps)
    await expectAccessible(page)
    await remainingSteps.first().click()
    await expect(page).toHaveURL('/site#sign')
    await page.getByRole('textbox', { name: '店名' }).fill('店名は後で変更')
    await page.getByRole('button', { name: '店名と印を保存する' }).click()
    await expect(page.locator('#sign [data-notice=done]')).toBeVisible()
    await getToolbar(page).getByRole('link', { name: '本日の営業' }).tap()
    await expect(remainingSteps).toHaveText(allSteps.slice(1))
    await page.getByRole('button', { name: 'この一覧を非表示にする' }).click()
    await expect(remainingSteps).toHaveCount(0)
    await page.getByRole('button', { name: '元に戻す' }).click()
    await expect(remainingSteps).toHaveText(allSteps.slice(1))
  })
  await test.step('sets up the bar', async () => {
    await page.goto('/welcome/shop')
    await completeShopAndHoursSteps(page, thumb, () => expectAccessible(page))
    await expect(page).toHaveURL('/welcome/pictures')
    await choosePhotograph(page, thumb)
    await expectAccessible(page)
    await save(page, thumb)
    await completePagesStep(page, thumb, { areUsesChecked: false })
    await addDish(page, thumb)
    await openToday(page, thumb)
    await expect(getChecklistLinks(page)).toHaveText(laterSteps)
    await expect(page.getByText('見本の内容が')).toHaveCount(0)
    expect(thumb.taps).toBeLessThanOrEqual(35)
    expect(thumb.keys).toBeLessThanOrEqual(75)
  })
  await expectNoCircle(context, site.address)
})

test('sets up a bar in 28 taps and 75 keys, then removes the sample, when SAMPLE_SHOP is yes', async ({ browser }) => {
  await using site = await startSiteWithSetupKey({ SAMPLE_SHOP: 'yes' })
  const context = await browser.newContext({ ...settings, baseURL: site.address })
  const page = await context.newPage()
  const thumb = new Thumb()
  await test.step('sets up the bar with the dishes and the image of the sample shop', async () => {
    await page.goto(site.welcome)
    await completeOwnerStep(page, thumb)
    await completeShopAndHoursSteps(page, thumb)
    await expect(page).toHaveURL('/welcome/pictures')
    await thumb.tap(page.getByRole('link', { name: 'あとで設定する' }))
    await completePagesStep(page, thumb, { areUsesChecked: true })
    await openToday(page, thumb)
    expect(thumb.taps).toBeLessThanOrEqual(28)
    expect(thumb.keys).toBeLessThanOrEqual(75)
  })
  await test.step('removes the sample', async () => {
    await addDish(page, thumb)
    await openToday(page, thumb)
    await thumb.tap(page.getByRole('button', { name: '見本の内容をまとめて削除する' }))
    await expect(getNotice(page, /^見本の内容を\d+件削除しました/)).toBeVisible()
    await expect(page.getByText('見本の内容が')).toHaveCount(0)
    await expect(getChecklistLinks(page)).toHaveText(['ホームに写真を1枚追加する', ...laterSteps])
    await thumb.tap(getChecklistLinks(page).first())
    await choosePhotograph(page, thumb)
    await save(page, thumb)
    await expect(page).toHaveURL('/welcome/pages')
    await openToday(page, thumb)
    await expect(getChecklistLinks(page)).toHaveText(laterSteps)
    expect(thumb.taps).toBeLessThanOrEqual(45)
  })
  // The bin and the history still contain the sample content.
  await expectNoCircle(context, site.address, ['/bin', '/site', '/staff/'])
})

// E-mail is not set up, so nobody is notified of contact messages.
const laterSteps = [
  '地図に表示されるようにする',
  'お店の紹介を書く',
  'SNSや予約サイトへのリンクを追加する（あれば）',
  'お問い合わせの通知が届くアドレスを設定する',
  'データの控えをダウンロードして、別の場所に置く',
]
const allSteps = [
  '店名と印を設定する',
  '住所と電話番号を入力する',
  '毎週の営業時間を設定する',
  'お料理を1品追加する',
  'ホームに写真を1枚追加する',
  ...laterSteps,
]

const getToolbar = (page: Page) => page.getByRole('navigation', { name: '管理メニュー' })
const save = (page: Page, thumb: Thumb) => thumb.tap(page.getByRole('button', { name: '保存して、次へ' }))

function getChecklistLinks(page: Page) {
  return page.locator('section', { has: page.getByRole('heading', { name: '残っている準備' }) }).getByRole('link')
}

/** Completes the first step with the Enter key of the phone, which counts as a tap. */
async function completeOwnerStep(page: Page, thumb: Thumb, checkStep = async () => {}) {
  await thumb.fillIn(page, { お名前: owner.name, メールアドレス: owner.email, パスワード: owner.password })
  await checkStep()
  await page.getByLabel('パスワード').press('Enter')
  thumb.taps += 1
  await expect(page).toHaveURL('/welcome/shop')
}

async function completeShopAndHoursSteps(page: Page, thumb: Thumb, checkStep = async () => {}) {
  const { name, telephone, postalCode, address } = shop
  await thumb.fillIn(page, { 店名: name, 電話番号: telephone, 郵便番号: postalCode, 住所: address })
  await checkStep()
  await save(page, thumb)
  await expect(page).toHaveURL('/welcome/hours')
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
  await checkStep()
  await save(page, thumb)
}

/** Completes the last step without the circle and the portfolio. */
async function completePagesStep(page: Page, thumb: Thumb, { areUsesChecked }: { areUsesChecked: boolean }) {
  await expect(page).toHaveURL('/welcome/pages')
  for (const use of ['テニスサークル', '仕事の紹介']) {
    const box = page.getByLabel(new RegExp(`^${use}`))
    await expect(box).toBeChecked({ checked: areUsesChecked })
    if (areUsesChecked) await thumb.tap(box)
  }
  await expect(page.getByRole('group', { name: 'お料理と営業日、予定を編集する人' })).toBeHidden()
  await expectAccessible(page)
  await thumb.tap(page.getByRole('button', { name: '保存して、サイトを見る' }))
  await expect(page).toHaveURL('/')
  await expect(getNotice(page, 'はじめての設定が終わりました。')).toBeVisible()
}

async function addDish(page: Page, thumb: Thumb) {
  await thumb.tap(getToolbar(page).getByRole('link', { name: 'お料理' }))
  await thumb.tap(page.getByRole('link', { name: '料理を追加', exact: true }))
  const sheet = page.getByRole('dialog')
  await thumb.fillIn(sheet, { 品名: '宵の膳', 価格: '980' })
  await thumb.tap(sheet.getByRole('button', { name: '追加する' }))
  await expect(getNotice(page, '追加しました。')).toBeVisible()
  await expect(page.getByRole('heading', { name: '宵の膳' })).toBeVisible()
}

async function openToday(page: Page, thumb: Thumb) {
  await thumb.tap(getToolbar(page).getByRole('link', { name: '本日の営業' }))
  await expect(page.getByRole('heading', { level: 1, name: '本日の営業' })).toBeVisible()
}

/** Asserts that the shop is published, and that no page mentions a circle to a guest, the staff or the owner. */
async function expectNoCircle(owner: BrowserContext, site: string, historyPaths: string[] = []) {
  const browser = owner.browser()
  const [guest, staff] = await Promise.all(['guest', 'staff'].map(() => browser?.newContext({ baseURL: site })))
  if (!guest || !staff) throw new Error('Browser of the owner: got none, expected one')
  await hire(owner, staff)
  const read = async (path: string) => (await guest.request.get(path)).text()
  const access = await read('/access')
  for (const text of [shop.telephone, '605-0001']) expect(access).toContain(text)
  expect(await read('/infomation')).toMatch(/日曜日は定休日です|17:00〜23:00|17:00〜翌2:00/)
  for (const path of ['/', '/infomation', '/dining', '/access', '/calendar', '/mail'])
    expect(/<header.*?<\/header>/s.exec(await read(path))?.[0], path).toContain(shop.name)
  // The sample content mentions the circle, so the removal of the sample must also remove these texts.
  for (const [who, visitor, words] of [
    ['guest', guest, new RegExp(`${CIRCLE_WORDS.source}|ダイニング結`)],
    ['staff', staff, CIRCLE_WORDS],
    ['owner', owner, CIRCLE_WORDS],
  ] as const) {
    const { pages, found } = await crawl(visitor, words, historyPaths)
    expect(pages, who).toBeGreaterThan(who === 'guest' ? 8 : 12)
    expect(found, who).toEqual([])
  }
  for (const visitor of [staff, guest, owner]) await visitor.close()
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

/** Reads every linked page with its title, metadata and data. Returns all mentions of these words. */
async function crawl(visitor: BrowserContext, words: RegExp, excluded: string[]) {
  const mentions: string[] = []
  const paths = new Set<string>(startPaths)
  // The loop also visits elements that are added during the iteration.
  for (const path of paths) {
    if (CIRCLE_PATHS.test(path) || excluded.some((part) => path.startsWith(part))) continue
    const response = await visitor.request.get(path)
    if (response.status() >= 500) mentions.push(`${path}: ${response.status()}`)
    const text = await response.text()
    const mention = words.exec(text)
    if (mention) mentions.push(`${path}: ${text.slice(Math.max(0, mention.index - 60), mention.index + 60)}`)
    for (const [, href = ''] of text.matchAll(/<a [^>]*href="(\/[^"#]*)/g)) {
      const link = href.replaceAll('&amp;', '&')
      // The crawl reads only one month of the calendar, as an example of all months.
      if (!/month=|year=|^\/backup\/file|^\/logout/.test(link)) paths.add(link)
    }
  }
  return { found: mentions, pages: paths.size }
}
