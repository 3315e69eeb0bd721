import { createHash } from 'node:crypto'
import type { Page } from '@playwright/test'
import { addEvent } from '../../app/calendar/events.server.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { addDays, monthOf } from '../../app/dates/month.ts'
import { readSpecialDay, saveSpecialDays } from '../../app/hours/business-days.server.ts'
import { copyToFrame } from './page-frame.ts'
import { author, test } from './site-with-data.ts'
import { expect, open, openHydrated } from './visitors.ts'

const screens = [
  { width: 320, height: 640 },
  { width: 360, height: 740 },
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 844, height: 390 },
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
]
const wideScreens = screens.filter(({ width }) => width >= 768)
const month = '2026-11'

async function forEachScreen(page: Page, look: (width: number) => Promise<void>, viewports = screens) {
  for (const screen of viewports) {
    await page.setViewportSize(screen)
    await look(screen.width)
  }
}

const getRange = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)

/**
 * Returns the rendered lines of each innermost element that contains `text`, by viewport width. The elements are
 * `selector`, or descendants of `selector` if `deep` is true.
 */
async function getLinesByWidth(
  page: Page,
  { selector, text = '', deep = false, widths }: { selector: string; text?: string; deep?: boolean; widths: number[] },
) {
  const frame = await copyToFrame(page)
  const measured = await frame.evaluate(
    (frame, { selector, text, deep, widths }) => {
      const copy = frame.contentDocument as Document
      const has = (element: Element) => element.textContent?.includes(text)
      const within = [...copy.querySelectorAll(selector)]
      const elements = deep
        ? within
            .flatMap((element) => [...element.querySelectorAll('*')])
            .filter((element) => has(element) && ![...element.children].some(has))
        : within.filter(has)
      const range = copy.createRange()
      const getLines = (root: Element) => {
        const walker = copy.createTreeWalker(root, NodeFilter.SHOW_TEXT)
        const lines: { bottom: number; text: string }[] = []
        while (walker.nextNode()) {
          const node = walker.currentNode as Text
          if (node.parentElement?.closest('.visually-hidden')) continue
          for (let offset = 0; offset < node.length; offset += 1) {
            range.setStart(node, offset)
            range.setEnd(node, offset + 1)
            const [box] = range.getClientRects()
            if (!box?.width) continue
            const line = lines.at(-1)
            if (line && box.top < line.bottom - 2) line.text += range
            else lines.push({ bottom: box.bottom, text: `${range}` })
          }
        }
        return lines.map(({ text }) => text.trim())
      }
      const measured = widths.map((width) => {
        frame.style.width = `${width}px`
        return { width: frame.contentWindow?.innerWidth, lines: elements.map(getLines) }
      })
      frame.remove()
      return measured
    },
    { selector, text, deep, widths },
  )
  expect(measured.map(({ width }) => width)).toEqual(widths)
  return measured
}

/** Returns the boxes of the first elements with these selectors. */
const getBoxes = (page: Page, selectors: string[]) =>
  page.evaluate(
    (selectors) =>
      selectors.map((found) => document.querySelector(found)?.getBoundingClientRect().toJSON() as DOMRect | undefined),
    selectors,
  )

test('gives each video card its own drawing, its title once, and a play button named after the title', async ({
  page,
}) => {
  await open(page, '/videoproduction')
  const drawings = page.locator('article img')
  await expect(drawings).toHaveCount(4)
  const hashes = await Promise.all(
    (await drawings.evaluateAll((images) => images.map((image) => (image as HTMLImageElement).src))).map(
      async (src) => {
        const response = await page.request.get(src)
        expect(response.status(), src).toBe(200)
        return createHash('sha256')
          .update(await response.body())
          .digest('hex')
      },
    ),
  )
  expect(new Set(hashes).size).toBe(4)
  for (const card of await page.getByRole('article').all()) {
    const title = await card.getByRole('heading').innerText()
    expect((await card.textContent())?.split(title)).toHaveLength(2)
    await expect(card.getByRole('button', { name: title })).toHaveAccessibleName(/再生する（YouTubeにつながります）/)
  }
})

test('keeps each range of opening hours on one line', async ({ page, db }) => {
  const today = dayInJapan(Date.now())
  // The status card shows these hours at any time of the day.
  const slots = [
    { start: '00:00', end: '10:00' },
    { start: '11:30', end: '00:00' },
  ]
  for (const day of [today, addDays(today, 1)]) {
    const version = (await readSpecialDay(db, day))?.version ?? 0
    const hours = { reason: '営業時間変更', cause: '', note: '', slots }
    await saveSpecialDays(db, { days: [day], ...hours }, new Map([[day, { version }]]), author())
  }
  // The site detects these changes together. Only the changed hours end at midnight.
  await expect.poll(async () => (await page.request.get('/infomation')).text()).toContain('24:00')
  for (const [path, ...selectors] of [
    ['/infomation', 'main li', '[class*=open-now_card] p'],
    [`/calendar?month=${monthOf(today)}&day=${today}`, '#day p'],
    ['/bussinessdays', 'main td'],
  ] as const) {
    await open(page, path)
    for (const selector of selectors) {
      const measured = await getLinesByWidth(page, { selector, text: '〜', widths: getRange(280, 480, 8) })
      for (const { width, lines } of measured) {
        expect(lines.flat().join(), path).toMatch(/11:30〜(?:14|24):00/)
        expect(
          lines.flat().filter((line) => /[〜／（]$|^[〜／、）]/.test(line)),
          `${path}, ${width} px`,
        ).toEqual([])
      }
    }
  }
})

test('aligns the controls of the scene slider', async ({ page }) => {
  await open(page, '/')
  const controls = page.locator('[class*=scene-slider_controls] button')
  await expect(controls).toHaveCount(9)
  await forEachScreen(page, async (width) => {
    const boxes = await controls.evaluateAll((all) =>
      all.map((each) => each.getBoundingClientRect().toJSON() as DOMRect),
    )
    const middles = boxes.map(({ y, height }) => y + height / 2)
    expect(Math.max(...middles) - Math.min(...middles), `${width} px`).toBeLessThan(1)
    for (const box of boxes) {
      expect(box.width, `${width} px`).toBeGreaterThanOrEqual(24)
      expect(box.x, `${width} px`).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width, `${width} px`).toBeLessThanOrEqual(width)
    }
  })
})

test('shows the whole pin of the drawn map', async ({ page }) => {
  await open(page, '/access')
  await forEachScreen(page, async (width) => {
    const [mapBox, drawn, over] = await getBoxes(page, ['svg[class*=ground]', 'path[class*=pin]', '[class*=page_ask]'])
    expect(drawn?.top, `${width} px`).toBeGreaterThan((mapBox?.top ?? 0) + 2)
    expect(drawn?.bottom, `${width} px`).toBeLessThan(over?.top ?? 0)
    expect(drawn?.left, `${width} px`).toBeGreaterThan(mapBox?.left ?? 0)
    expect(drawn?.right, `${width} px`).toBeLessThan(mapBox?.right ?? 0)
  })
})

test('shows no bullet before a single password rule', async ({ page }) => {
  await open(page, '/signupform')
  const rules = page.locator('[class*=accounts_rules]')
  await expect(rules).toHaveText('6文字以上')
  await page.getByLabel('パスワード', { exact: true }).fill('irasshaimase')
  await expect(rules).toHaveText('✓6文字以上（満たしています）')
})

test('keeps a holiday name on one line of the month, and shows whole event titles', async ({ page, db }) => {
  const times = {
    startTime: null,
    endTime: null,
    attendance: false,
    capacity: null,
    deadline: null,
    membersOnly: false,
    deadlineTime: null,
  }
  const titles = ['テニス練習会', '利き酒と季節の小鉢の会']
  for (const title of titles) {
    await addEvent(db, crypto.randomUUID(), { day: `${month}-19`, title, content: '', ...times }, author())
  }
  const path = `/calendar?month=${month}`
  await expect.poll(async () => (await page.request.get(path)).text()).toContain(titles.at(-1))
  await open(page, path)
  const cell = `[data-day="${month}-23"]`
  const event = `[data-day="${month}-19"] a[class*=grid_event]`
  const widths = wideScreens.map(({ width }) => width)
  for (const { width, lines } of await getLinesByWidth(page, { selector: `${cell} [class*=grid_holiday]`, widths }))
    expect(lines, `${width} px`).toEqual([['勤労感謝の日']])
  for (const { width, lines } of await getLinesByWidth(page, { selector: event, widths })) {
    expect(lines, `${width} px`).toHaveLength(titles.length)
    for (const each of lines) expect(each.at(-1)?.length, `${width} px`).toBeGreaterThan(1)
  }
  await forEachScreen(
    page,
    async (width) => {
      const parts = ['grid_number', 'grid_hours', 'grid_holiday'].map((part) => `${cell} [class*=${part}]`)
      const [day, hours, holiday] = await getBoxes(page, parts)
      expect(holiday?.bottom, `${width} px`).toBeLessThanOrEqual((hours?.top ?? 0) + 1)
      if (holiday && day && holiday.top > day.bottom - 4) expect(holiday.left, `${width} px`).toBe(day.left)
      const cut = await page
        .locator(event)
        .evaluateAll((links) =>
          links.filter((link) => link.scrollWidth > link.clientWidth || link.scrollHeight > link.clientHeight),
        )
      expect(cut, `${width} px`).toHaveLength(0)
    },
    wideScreens,
  )
})

test('never wraps a telephone number', async ({ page }) => {
  for (const path of ['/mail', '/privacy', '/infomation', '/access']) {
    await openHydrated(page, path)
    const widths = getRange(320, 1440, 40)
    const text = '075-000-0000'
    for (const { width, lines } of await getLinesByWidth(page, {
      selector: 'main, footer',
      text,
      deep: true,
      widths,
    })) {
      expect(lines.length, `${path}, ${width} px`).toBeGreaterThan(0)
      for (const each of lines) expect(each.join('\n'), `${path}, ${width} px`).toContain(text)
    }
  }
})
