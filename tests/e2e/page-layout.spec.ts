import { createHash } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { addEvent } from '../../app/calendar/events.server.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { addDays, monthOf } from '../../app/dates/month.ts'
import { readSpecialDay, saveSpecialDays } from '../../app/hours/business-days.server.ts'
import { author, test } from './site-with-data.ts'
import { expect, open } from './visitors.ts'

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

/** Returns the rendered lines of the text of an element. */
function getLines(element: Locator) {
  return element.evaluate((root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
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
  })
}

const getBox = (element: Locator) => element.evaluate((each) => each.getBoundingClientRect().toJSON() as DOMRect)

test.describe('a video card', () => {
  test('has a drawing that no other card has', async ({ page }) => {
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
  })

  test('shows its title once, and includes the title in the name of the play button', async ({ page }) => {
    await open(page, '/videoproduction')
    for (const card of await page.getByRole('article').all()) {
      const title = await card.getByRole('heading').innerText()
      expect((await card.textContent())?.split(title)).toHaveLength(2)
      await expect(card.getByRole('button', { name: title })).toHaveAccessibleName(/再生する（YouTubeにつながります）/)
    }
  })
})

test('keeps each range of opening hours on one line', async ({ page, db }) => {
  test.slow()
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
  for (const [path, selector] of [
    ['/infomation', 'main li'],
    ['/infomation', '[class*=open-now_card] p'],
    [`/calendar?month=${monthOf(today)}&day=${today}`, '#day p'],
    ['/bussinessdays', 'main td'],
  ] as const) {
    const texts = page.locator(selector).filter({ hasText: '〜' })
    await expect(async () => {
      await open(page, path)
      await expect(texts.first()).toBeAttached({ timeout: 500 })
    }).toPass()
    for (let width = 280; width <= 480; width += 8) {
      await page.setViewportSize({ width, height: 740 })
      const lines = (await Promise.all((await texts.all()).map(getLines))).flat()
      expect(lines.join(), path).toMatch(/11:30〜(?:14|24):00/)
      expect(
        lines.filter((line) => /[〜／（]$|^[〜／、）]/.test(line)),
        `${path}, ${width} px`,
      ).toEqual([])
    }
  }
})

test('aligns the controls of the scene slider', async ({ page }) => {
  await open(page, '/')
  const controls = page.locator('[class*=scene-slider_controls] button')
  await expect(controls).toHaveCount(9)
  await forEachScreen(page, async (width) => {
    const boxes = await Promise.all((await controls.all()).map(getBox))
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
  const [map, pin, question] = ['svg[class*=ground]', 'path[class*=pin]', '[class*=page_ask]'].map((found) =>
    page.locator(found),
  ) as [Locator, Locator, Locator]
  await forEachScreen(page, async (width) => {
    const [mapBox, drawn, over] = await Promise.all([map, pin, question].map(getBox))
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

test.describe('the month', () => {
  test('keeps a holiday name on one line, beside the date or above the hours', async ({ page }) => {
    await open(page, `/calendar?month=${month}`)
    const cell = page.locator(`[data-day="${month}-23"]`)
    const name = cell.locator('[class*=grid_holiday]')
    await forEachScreen(
      page,
      async (width) => {
        expect(await getLines(name), `${width} px`).toEqual(['勤労感謝の日'])
        const [day, hours, said] = await Promise.all(
          [cell.locator('[class*=grid_number]'), cell.locator('[class*=grid_hours]'), name].map(getBox),
        )
        expect(said?.bottom, `${width} px`).toBeLessThanOrEqual((hours?.top ?? 0) + 1)
        if (said && day && said.top > day.bottom - 4) expect(said.left, `${width} px`).toBe(day.left)
      },
      wideScreens,
    )
  })

  test('shows whole event titles', async ({ page, db }) => {
    const times = { startTime: null, endTime: null, attendance: false, capacity: null, deadline: null }
    const titles = ['テニス練習会', '利き酒と季節の小鉢の会']
    for (const title of titles) {
      await addEvent(db, crypto.randomUUID(), { day: `${month}-19`, title, content: '', ...times }, author())
    }
    const events = page.locator(`[data-day="${month}-19"] a[class*=grid_event]`)
    await expect(async () => {
      await open(page, `/calendar?month=${month}`)
      await expect(events).toHaveCount(titles.length, { timeout: 500 })
    }).toPass()
    await forEachScreen(
      page,
      async (width) => {
        const cut = await events.evaluateAll((links) =>
          links.filter((link) => link.scrollWidth > link.clientWidth || link.scrollHeight > link.clientHeight),
        )
        expect(cut, `${width} px`).toHaveLength(0)
        for (const link of await events.all()) {
          expect((await getLines(link)).at(-1)?.length, `${width} px`).toBeGreaterThan(1)
        }
      },
      wideScreens,
    )
  })
})

test('never wraps a telephone number', async ({ page }) => {
  for (const path of ['/mail', '/privacy', '/infomation', '/access']) {
    await open(page, path)
    const numbers = page.locator('main, footer').getByText('075-000-0000')
    for (let width = 320; width <= 1440; width += 40) {
      await page.setViewportSize({ width, height: 800 })
      for (const number of await numbers.all()) {
        expect((await getLines(number)).join('\n'), `${path}, ${width} px`).toContain('075-000-0000')
      }
    }
  }
})
