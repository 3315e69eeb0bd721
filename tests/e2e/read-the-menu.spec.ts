import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timeInJapan } from '../../app/dates/japan.ts'
import { eachRow, type Hours } from '../../app/hours/business-day.ts'
import { saveWeek } from '../../app/hours/business-days.server.ts'
import { listSections, saveSection } from '../../app/sections/sections.server.ts'
import { openDatabase } from '../../db/open.ts'
import { fillSampleShopWithMenu } from '../../server/sample-menu.ts'
import { createTestOnOwnSite } from './editors.ts'
import { openWithoutScripts } from './open-without-scripts.ts'
import { author } from './site-with-data.ts'
import { Thumb } from './taps.ts'
import {
  expect,
  expectAccessible,
  getNotice,
  open,
  phone,
  startSite,
  test as visitorTest,
  waitForControls,
} from './visitors.ts'

/** A test on a site that is open every day and whose last section is served now. No test changes this site. */
const test = visitorTest.extend({
  site: async ({ startOnce }, use) => use((await startOnce('site with a menu', startWithMenu)).url),
})

async function startWithMenu() {
  const folder = await mkdtemp(join(tmpdir(), 'noren-e2e-'))
  const db = await openDatabase({ file: join(folder, 'site.db') })
  await fillSampleShopWithMenu(db, { wanted: true, now: Date.now() })
  await db.deleteFrom('specialDays').execute()
  const openDay: Hours = { open: true, slots: [{ start: '11:30', end: '14:00' }, null] }
  await saveWeek(
    db,
    eachRow(() => openDay),
    { version: 1 },
    author(),
  )
  const timeIn = (hours: number) => timeInJapan(Date.now() + hours * 3_600_000).slice(11)
  const sections = await listSections(db)
  for (const { id, version } of sections) {
    const isLast = id === sections.at(-1)?.id
    const facts = isLast
      ? ({ served: 'own', servedFrom: timeIn(-1), servedUntil: timeIn(12) } as const)
      : { served: 'any' as const }
    await saveSection(db, id, { version, facts }, author())
  }
  await db.destroy()
  return startSite({ folder })
}

const filter = 'details:has-text("食べられないものを除く")'

test.describe('the menu of a shop with sections', () => {
  test.use({ viewport: phone })

  test('excludes the dishes with allergens that were chosen before the scripts ran', async ({ page }) => {
    const hydrate = await openWithoutScripts(page, '/dining')
    await page.locator(filter).locator('summary').click()
    for (const name of ['卵', '小麦']) await page.locator(filter).getByLabel(name).check()
    await hydrate()
    await expect(page.locator(filter).getByRole('status')).toContainText('品を除いています。')
    await expect(page.locator(filter).getByRole('checkbox', { checked: true })).toHaveCount(2)
    await expect(page).toHaveURL((url) => url.searchParams.getAll('without').length === 2)
  })

  test('opens at the section that is served now, whose name the index marks', async ({ page }) => {
    await open(page, '/dining')
    const index = page.getByRole('navigation', { name: 'お品書きの分類' })
    const drinks = index.getByRole('link').last()
    await expect(drinks).toHaveAttribute('aria-current', 'true')
    await expect(index).toBeInViewport()
    await expect(page.getByText('ただいまご提供しています')).toBeInViewport()
    await index.getByRole('link').first().focus()
    await page.keyboard.press('Enter')
    await expect(index.getByRole('link').first()).toHaveAttribute('aria-current', 'true')
    await expect(page.locator('section[id] h2').first()).toBeInViewport()
    await expectAccessible(page)
  })

  test('excludes dishes without a request or layout shift, keeps the choice in the address, and resets it', async ({
    page,
  }) => {
    await open(page, '/dining#top')
    const dishes = page.locator('[id^="card-"]')
    const total = await dishes.count()
    await page.locator(`${filter} summary`).click()
    const requests: string[] = []
    page.on('request', (request) => void (request.url().includes('.data') && requests.push(request.url())))
    await page.getByRole('checkbox', { name: '小麦' }).focus()
    await page.keyboard.press('Space')
    const sentence = page.getByText(/^全\d+品のうち、\d+品を除いています。$/)
    await expect(sentence).toBeVisible()
    const hidden = Number(/、(\d+)品/.exec((await sentence.textContent()) ?? '')?.[1])
    expect(hidden).toBeGreaterThan(0)
    await expect(dishes).toHaveCount(total - hidden)
    await page.evaluate(async () => {
      // The frame of the key moves the dishes, but no later frame may.
      await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))
      const shifts = Object.assign(window, { shiftScore: 0 })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
          shifts.shiftScore += entry.value
      }).observe({ type: 'layout-shift' })
    })
    await expect(page.getByText('アレルギー：小麦', { exact: true })).toHaveCount(0)
    expect(new URL(page.url()).searchParams.getAll('without')).toEqual(['小麦'])
    await expectAccessible(page)
    expect(await page.evaluate(() => (window as unknown as { shiftScore: number }).shiftScore)).toBe(0)
    expect(requests).toEqual([])
    await page.reload()
    await expect(dishes).toHaveCount(total - hidden)
    await waitForControls(page)
    await page.getByRole('link', { name: 'すべて表示する' }).click()
    await expect(dishes).toHaveCount(total)
    expect(new URL(page.url()).search).toBe('')
    expect(await page.context().cookies()).toEqual([])
  })
})

test.describe('the menu without JavaScript', () => {
  test.use({ javaScriptEnabled: false, viewport: phone })

  test('excludes dishes by the form', async ({ page }) => {
    await page.goto('/dining')
    const total = await page.locator('[id^="card-"]').count()
    await page.locator(`${filter} summary`).click()
    await page.getByRole('checkbox', { name: '卵' }).check()
    await page.getByRole('checkbox', { name: '小麦' }).check()
    await page.getByRole('button', { name: '除いて表示する' }).click()
    await expect(page).toHaveURL(/without=/)
    await page.waitForLoadState()
    expect(new URL(page.url()).searchParams.getAll('without')).toEqual(['小麦', '卵'])
    expect(await page.locator('[id^="card-"]').count()).toBeLessThan(total)
    await expect(page.getByText(/品を除いています/)).toBeVisible()
  })
})

const editingTest = createTestOnOwnSite('site with sections to edit')

editingTest(
  'moves dishes and sections by keys and buttons, and hides a section for today in two taps',
  async ({ owner, openPage }) => {
    const page = await owner({ viewport: phone, hasTouch: true })
    const thumb = new Thumb()
    const add = async (name: string) => {
      await open(page, '/dining')
      await page.getByRole('link', { name: '分類を追加' }).click()
      await waitForControls(page)
      await page.getByRole('textbox', { name: '分類の名前' }).fill(name)
      await page.getByRole('button', { name: '追加する' }).click()
      await expect(page.getByRole('heading', { name, exact: true })).toBeVisible()
    }
    await add('お食事')
    await add('お飲みもの')
    await open(page, '/dining?arrange')
    const rows = page.locator('ol > li')
    const handle = (name: string) => page.getByRole('button', { name: `「${name}」を動かす` })
    await handle('お食事').press('ArrowDown')
    await expect(rows.last()).toContainText('お食事')
    await expect(getNotice(page, '並び順を保存しました。')).toBeVisible()
    const first = (await rows.first().locator('p').textContent()) ?? ''
    const saved = page.waitForResponse((response) => response.request().method() === 'POST')
    await handle(first).press('End')
    await expect(rows.last()).toContainText(first)
    expect((await saved).status()).toBe(200)
    await expectAccessible(page)
    await open(page, '/dining?arrange')
    await expect(rows.last()).toContainText(first)
    await page.getByRole('button', { name: '「お食事」を上へ' }).click()
    await expect(rows.last()).toContainText('お飲みもの')
    await expect(rows.nth(-2)).toContainText(first)

    await open(page, '/dining')
    const guest = await openPage({ viewport: phone })
    await open(guest, '/dining')
    await expect(guest.getByRole('heading', { name: first })).toBeVisible()
    await thumb.tap(page.getByRole('button', { name: '「お食事」を今日は出さない' }))
    await expect(getNotice(page, /まで、お客さまに表示しません。/)).toBeVisible()
    expect(thumb.taps).toBeLessThanOrEqual(3)
    await expect(guest.getByRole('heading', { name: first })).toBeHidden()
    await expectAccessible(page)
    await page.getByRole('button', { name: '「お食事」の表示を再開する' }).tap()
    await expect(guest.getByRole('heading', { name: first })).toBeVisible()
  },
)
