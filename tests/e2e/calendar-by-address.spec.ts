import type { Page } from '@playwright/test'
import { test, withEditButtons } from './editors.ts'
import { addEvent } from './forms-of-days.ts'
import {
  choose,
  delayRequests,
  desktop,
  expect,
  expectAccessible,
  getAnnouncement,
  open,
  openHydrated,
  phone,
} from './visitors.ts'

test.slow()

const addEventWithContent = (owner: Page, day: string, title: string) =>
  addEvent(owner, day, title, (page) => page.getByRole('textbox', { name: '内容' }).fill(`${title}のすべて`))

/** Collects the URLs of all later requests for page data. */
function recordDataRequests(page: Page) {
  const dataRequests: string[] = []
  page.on('request', (request) => {
    if (/\.data/.test(request.url()) && request.method() === 'GET') dataRequests.push(request.url())
  })
  return dataRequests
}

// The tests begin on a phone and end on a desktop.
const month = '2098-03'
// While the page is offline, the requests for the heading font and for an SSE stream may fail.
test.use({ viewport: phone, expectedErrors: [/INTERNET_DISCONNECTED \S+(?:heading\.woff2|\/api\/live)\?/] })

test('opens an event without a request, and closes the event on Back', async ({ owner, page }) => {
  await addEventWithContent(await owner(), `${month}-10`, '花見')
  const dialog = page.getByRole('dialog', { name: '花見' })
  const link = page.getByRole('link', { name: '花見' })
  await open(page, '/access')
  await open(page, `/calendar?month=${month}&day=${month}-10`)
  const dataRequests = recordDataRequests(page)
  await page.context().setOffline(true)
  await link.click()
  await expect(dialog).toContainText('花見のすべて')
  await expect(page).toHaveURL(/&event=[^&]+$/)
  const address = page.url()
  await page.goBack()
  await expect(dialog).toHaveCount(0)
  await expect(link).toBeFocused()
  await page.setViewportSize(desktop)
  await page.goForward()
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page).not.toHaveURL(/event/)
  await expect(link).toBeFocused()
  await link.press('Enter')
  await dialog.getByRole('link', { name: '閉じる' }).press('Enter')
  await expect(dialog).toHaveCount(0)
  expect(dataRequests).toEqual([])
  await page.context().setOffline(false)
  // Each opening of the dialog added one history entry, and each closing removed this entry.
  await page.goBack()
  await expect(page).toHaveURL(/access/)

  await open(page, address)
  await expect(dialog).toContainText('花見のすべて')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page).not.toHaveURL(/event/)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await page.goBack()
  await expect(page).toHaveURL(/access/)
  await open(page, `/calendar?month=${month}&event=unknown`)
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('keeps the focus on the month links and announces each month once', async ({ page }) => {
  await open(page, '/calendar?month=2026-11')
  for (const [name, text] of [
    ['次の月', '2026年12月'],
    ['前の月', '2026年11月'],
    ['次の年', '2027年11月'],
    ['前の年', '2026年11月'],
  ] as const) {
    const countBefore = await getAnnouncement(page, text).count()
    await page.getByRole('link', { name }).press('Enter')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(text)
    await expect(getAnnouncement(page, text)).toHaveCount(countBefore + 1)
    await expect(page.getByRole('link', { name })).toBeFocused()
  }
  await page.setViewportSize(desktop)
  await page.goBack()
  await expect(getAnnouncement(page, '2027年11月')).toHaveCount(2)
  await open(page, '/calendar?month=2100-11')
  await page.getByRole('link', { name: '次の月' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2100年12月')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect(getAnnouncement(page, '2100年12月')).toHaveCount(1)
})

test('moves the focus to a day of the next month when an arrow key leaves the month', async ({ page }) => {
  await open(page, '/calendar?month=2026-11&day=2026-11-30')
  await page.getByRole('gridcell', { name: '11月30日' }).focus()
  const focused = page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const focusedElements: string[] = []
        document.addEventListener('focusin', ({ target }) => {
          focusedElements.push((target as HTMLElement).dataset.day ?? (target as HTMLElement).tagName)
          if (focusedElements.at(-1) === '2026-12-01') setTimeout(() => resolve(focusedElements), 100)
        })
      }),
  )
  await page.keyboard.press('ArrowRight')
  expect(await focused).toEqual(['2026-12-01'])
  await expect(getAnnouncement(page, '2026年12月')).toHaveCount(1)
})

test('selects a day of the next month when Enter is pressed before that month loads', async ({ page }) => {
  await open(page, '/calendar?month=2026-11&day=2026-11-30')
  await page.getByRole('gridcell', { name: '11月30日' }).focus()
  const release = await delayRequests(page, /calendar\.data/)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: '11月30日（月）' })).not.toBeFocused()
  release()
  await expect(page.getByRole('heading', { name: '12月2日（水）' })).toBeFocused()
  await expect(page.getByRole('gridcell', { name: /^12月2日/ })).toHaveAttribute('aria-selected', 'true')
})

test('adds one browser history entry for each step of the year picker', async ({ page }) => {
  await open(page, '/access')
  await open(page, '/calendar?month=2026-11')
  const [pick, dialog] = [page.getByRole('link', { name: '年を選ぶ' }), page.getByRole('dialog')]
  await pick.press('Enter')
  await expect(page).toHaveURL(/pick/)
  await page.goBack()
  await expect(dialog).toHaveCount(0)
  await expect(pick).toBeFocused()

  await page.setViewportSize(desktop)
  await pick.press('Enter')
  await dialog.getByRole('link', { name: '2031年' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2031年11月')
  await expect(dialog).toHaveCount(0)
  await expect(pick).toBeFocused()
  await expect(getAnnouncement(page, '2031年11月')).toHaveCount(1)
  await pick.press('Enter')
  await dialog.getByRole('spinbutton').fill('1924')
  await dialog.getByRole('spinbutton').press('Enter')
  await expect(getAnnouncement(page, '1924年11月')).toHaveCount(1)
  await expect(pick).toBeFocused()
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2031年11月')
  await expect(dialog).toHaveCount(0)
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2026年11月')
  await page.goBack()
  await expect(page).toHaveURL(/access/)
})

test('keeps the focus while an editor adds, edits and deletes events', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  const day = `${month}-20`
  // Live updates are blocked, so only the form revalidates the page.
  await page.route(/\/api\/live/, (route) => route.abort())
  await open(page, `/calendar?month=${month}&day=${day}`)
  const title = page.getByRole('textbox', { name: 'タイトル' })
  for (const name of ['一席', '二席']) {
    await title.fill(name)
    await title.press('Enter')
    await expect(page.getByRole('link', { name: `終日 ${name}` })).toBeVisible()
    await expect(title).toHaveValue('')
    await expect(title).toBeFocused()
  }
  await expect(getAnnouncement(page, '予定を追加しました。')).toHaveCount(2)
  await page.getByRole('button', { name: '元に戻す' }).press('Enter')
  await expect(page.getByRole('link', { name: '終日 二席' })).toHaveCount(0)
  await title.focus()
  await title.dispatchEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true })
  await title.dispatchEvent('keydown', { key: 'Escape', keyCode: 229, bubbles: true })
  await expect(title).toBeFocused()
  await title.press('Escape')
  await expect(page.locator(`[data-day="${day}"]`)).toBeFocused()

  await page.setViewportSize(desktop)
  await page.getByRole('link', { name: '終日 一席' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: '一席' })
  await dialog.getByRole('button', { name: '編集する' }).press('Enter')
  await expect(dialog.getByRole('textbox', { name: 'タイトル' })).toBeFocused()
  await dialog.getByRole('button', { name: '戻る' }).press('Enter')
  await expect(dialog.getByRole('button', { name: '編集する' })).toBeFocused()
  await dialog.getByRole('button', { name: '編集する' }).press('Enter')
  await dialog.getByRole('textbox', { name: 'タイトル' }).fill('三席')
  await dialog.getByRole('textbox', { name: 'タイトル' }).press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const savedLink = page.getByRole('link', { name: '終日 三席' })
  await expect(savedLink).toBeFocused()
  await expect(page).not.toHaveURL(/event/)
  await expect(getAnnouncement(page, '予定を保存しました。')).toHaveCount(1)

  await savedLink.press('Enter')
  await page.getByRole('button', { name: '削除する' }).press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: '削除する' }).press('Enter')
  const alert = page.getByRole('alertdialog', { name: 'イベントを削除しました' })
  await alert.getByRole('button', { name: '閉じる' }).press('Enter')
  await expect(savedLink).toHaveCount(0)
  await expect(page).not.toHaveURL(/event/)
  await expect(getAnnouncement(page, 'イベントを削除しました')).toHaveCount(1)
  await expect(page.locator(':focus')).not.toHaveCount(0)
})

test('shows the month of a special day with an undo button after the special day is saved', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/bussinessdays?table=special')
  await choose(page, { 日付の年: '2098', 日付の月: String(Number(month.slice(5))) })
  await page.getByRole('button', { name: 'スケジュールを登録する' }).press('Enter')
  await expect(page).toHaveURL(new RegExp(`/calendar\\?month=${month}`))
  await expect(page.locator('#main')).toBeFocused()
  await expect(getAnnouncement(page, '営業時間を保存しました。')).toHaveCount(1)
  await page.setViewportSize(desktop)
  await page.getByRole('button', { name: '元に戻す' }).press('Enter')
  await expect(getAnnouncement(page, '元に戻しました。')).toHaveCount(1)
  await expect(page.locator(':focus')).not.toHaveCount(0)
  await expectAccessible(page)
})

withEditButtons('shows a complete event and a chosen year when JavaScript is disabled', async ({ owner, openPage }) => {
  await addEventWithContent(await owner(), `${month}-25`, '虫干し')
  const page = await openPage({ javaScriptEnabled: false })
  await page.goto(`/calendar?month=${month}&day=${month}-25`)
  await page.getByRole('link', { name: '虫干し' }).click()
  const dialog = page.getByRole('dialog', { name: '虫干し' })
  await expect(dialog).toContainText('虫干しのすべて')
  await expect(dialog).toBeInViewport()
  const { width } = (await page.locator('body').boundingBox()) ?? {}
  expect(width).toBeLessThanOrEqual(phone.width)
  await dialog.getByRole('link', { name: '閉じる' }).click()
  await expect(dialog).toHaveCount(0)
  await page.setViewportSize(desktop)
  await page.getByRole('link', { name: '年を選ぶ' }).click()
  await page.getByRole('spinbutton').fill('1999')
  await page.getByRole('button', { name: '表示する' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`1999年${Number(month.slice(5))}月`)
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('completes a pending revalidation when an event is opened meanwhile', async ({ owner, page }) => {
  const editor = await owner()
  await addEventWithContent(editor, '2097-06-10', '初鰹')
  await open(page, '/calendar?month=2097-06&day=2097-06-10')
  let release = () => {}
  const untilReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  const reading = page.waitForRequest(/calendar\.data/)
  await page.route(
    /calendar\.data/,
    async (route) => {
      await untilReleased
      await route.continue().catch(() => {})
    },
    { times: 1 },
  )
  await addEventWithContent(editor, '2097-06-11', '梅仕事')
  await reading
  await page.getByRole('link', { name: '初鰹' }).click()
  await expect(page.getByRole('dialog', { name: '初鰹' })).toBeVisible()
  release()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('gridcell', { name: /6月11日.*梅仕事/ })).toBeVisible()
})

test('shows the month of an event when its URL is opened, and keeps the input for a new event', async ({ owner }) => {
  const page = await owner()
  await addEventWithContent(page, '2097-08-08', '夕涼み')
  await page.getByRole('link', { name: '夕涼み' }).click()
  await expect(page).toHaveURL(/event/)
  const id = new URL(page.url()).searchParams.get('event')
  await openHydrated(page, `/calendar?event=${id}`)
  await expect(page.getByRole('dialog', { name: '夕涼み' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/month=2097-08$/)
  await page.getByRole('gridcell', { name: /8月8日/ }).click()
  const title = page.getByRole('textbox', { name: 'タイトル' })
  await title.fill('書きかけ')
  await page.getByRole('link', { name: '夕涼み' }).press('Enter')
  await page.goBack()
  await expect(title).toHaveValue('書きかけ')
})
