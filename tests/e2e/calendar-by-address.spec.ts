import type { Page } from '@playwright/test'
import { test, withEditButtons } from './editors.ts'
import { createEvent } from './forms-of-days.ts'
import { delayRequests, desktop, expect, getAnnouncement, open, openHydrated, phone } from './visitors.ts'

/** Adds an event with a content. Returns its ID. The page has the cookies of an editor. */
async function createEventWithContent(editor: Page, day: string, title: string) {
  await editor.goto('/api/health')
  const { event } = await createEvent(editor, { day, title, content: `${title}のすべて` })
  return event.id
}

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
  await createEventWithContent(await owner(), `${month}-10`, '花見')
  const dialog = page.getByRole('dialog', { name: '花見' })
  const link = page.getByRole('link', { name: '花見' })
  await page.goto('/api/health')
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
  await expect(page).toHaveURL('/api/health')

  await open(page, address)
  await expect(dialog).toContainText('花見のすべて')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page).not.toHaveURL(/event/)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await page.goBack()
  await expect(page).toHaveURL('/api/health')
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
  const focused = await page.evaluateHandle(() => {
    const focusedElements: string[] = []
    document.addEventListener('focusin', ({ target }) => {
      focusedElements.push((target as HTMLElement).dataset.day ?? (target as HTMLElement).tagName)
    })
    return focusedElements
  })
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('[data-day="2026-12-01"]')).toBeFocused()
  await expect(getAnnouncement(page, '2026年12月')).toHaveCount(1)
  // A later key press comes after every change of the focus by the first one.
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('[data-day="2026-12-02"]')).toBeFocused()
  expect(await focused.jsonValue()).toEqual(['2026-12-01', '2026-12-02'])
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

test('opens the year picker at the shown year, and adds one browser history entry for each step', async ({ page }) => {
  await page.goto('/api/health')
  await open(page, '/calendar?month=2026-11')
  const [pick, dialog] = [page.getByRole('link', { name: '年を選ぶ' }), page.getByRole('dialog')]
  await pick.press('Enter')
  await expect(page).toHaveURL(/pick/)
  await expect(dialog.getByRole('spinbutton')).toBeFocused()
  await expect(dialog.getByRole('spinbutton')).toHaveValue('2026')
  await expect(dialog.getByRole('link', { name: '2026年' })).toBeInViewport()
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
  await expect(dialog.getByRole('spinbutton')).toBeFocused()
  await page.keyboard.type('1924')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('1924年11月')
  await expect(dialog).toHaveCount(0)
  await expect(getAnnouncement(page, '1924年11月')).toHaveCount(1)
  await expect(pick).toBeFocused()
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2031年11月')
  await expect(dialog).toHaveCount(0)
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2026年11月')
  await page.goBack()
  await expect(page).toHaveURL('/api/health')
})

test('keeps the focus while an editor adds and edits events', async ({ owner }) => {
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
})

withEditButtons(
  'shows a day, a complete event and a chosen year when JavaScript is disabled',
  async ({ owner, openPage }) => {
    await createEventWithContent(await owner(), `${month}-25`, '虫干し')
    const page = await openPage({ javaScriptEnabled: false })
    await page.goto(`/calendar?month=${month}`)
    await page.locator(`[data-day="${month}-25"] a`).first().click()
    await expect(page.getByRole('region', { name: '3月25日' })).toBeInViewport()
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
  },
)

test('completes a pending revalidation when an event is opened meanwhile', async ({ owner, page }) => {
  const editor = await owner()
  await createEventWithContent(editor, '2097-06-10', '初鰹')
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
  await createEventWithContent(editor, '2097-06-11', '梅仕事')
  await reading
  await page.getByRole('link', { name: '初鰹' }).click()
  await expect(page.getByRole('dialog', { name: '初鰹' })).toBeVisible()
  release()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('gridcell', { name: /6月11日.*梅仕事/ })).toBeVisible()
})

test('shows the month of an event when its URL is opened, and keeps the input for a new event', async ({ owner }) => {
  const page = await owner()
  const id = await createEventWithContent(page, '2097-08-08', '夕涼み')
  await openHydrated(page, `/calendar?event=${id}`)
  await expect(page.getByRole('dialog', { name: '夕涼み' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/month=2097-08$/)
  await page.getByRole('gridcell', { name: /8月8日/ }).click()
  const title = page.getByRole('textbox', { name: 'タイトル' })
  await title.fill('書きかけ')
  await page.getByRole('link', { name: '夕涼み' }).press('Enter')
  await expect(page.getByRole('dialog', { name: '夕涼み' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('dialog', { name: '夕涼み' })).toHaveCount(0)
  await expect(title).toHaveValue('書きかけ')
})
