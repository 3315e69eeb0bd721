import type { Page } from '@playwright/test'
import { Event } from '../../app/calendar/event.ts'
import { addEvent, readEvent, saveEvent } from '../../app/calendar/events.server.ts'
import { listCards, saveCard } from '../../app/cards/cards.server.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { noSlots } from '../../app/hours/business-day.ts'
import { saveSpecialDays } from '../../app/hours/business-days.server.ts'
import { test as editorTest } from './editors.ts'
import { createEvent } from './forms-of-days.ts'
import { author, test } from './site-with-data.ts'
import { desktop, expect, open, openWithLiveUpdates } from './visitors.ts'

test('shows every live change of a dish on a translated page', async ({ page, db }) => {
  await openWithLiveUpdates(page, '/dining')
  await translate(page)
  const [dish] = await listCards(db, 'dining')
  if (!dish) throw new Error('Expected a dish')
  const facts = {
    title: '鯖寿司',
    content: '締めたての鯖。',
    price: '2345',
    allergens: 'えび',
    allergensConfirmed: true,
  }
  await saveCard(db, dish, facts, author())
  const card = page.getByRole('article').first()
  await expect(card.getByRole('heading')).toHaveText('鯖寿司')
  await expect(card).toContainText('2,345円（税込）')
  await expect(card).toContainText('締めたての鯖。')
  await expect(card).toContainText('えび')
  const savedDish = (await listCards(db, 'dining')).find(({ id }) => id === dish.id)
  if (!savedDish) throw new Error('Expected the dish')
  await translate(page)
  await saveCard(db, savedDish, { price: '', content: '', allergensConfirmed: false }, author())
  await expect(card).not.toContainText('2,345')
  await expect(card).not.toContainText('締めたての鯖。')
  await expect(card.getByRole('heading')).toHaveText('鯖寿司')
})

test('shows a closed day and a new event on translated pages', async ({ page, context, db }) => {
  const today = dayInJapan(Date.now())
  await openWithLiveUpdates(page, `/calendar?month=${today.slice(0, 7)}&day=${today}`)
  const shop = await context.newPage()
  await open(shop, '/infomation')
  for (const tab of [page, shop]) await translate(tab)
  await saveSpecialDays(db, { days: [today], reason: '臨時休業', slots: noSlots }, new Map(), author())
  const cell = page.locator(`td[data-day="${today}"]`)
  await expect(cell).toContainText('臨時休業')
  await expect(shop.getByRole('main')).toContainText('臨時休業')
  const event = { day: today, title: '新米の会', startTime: '10:00' }
  await addEvent(db, 'translated', Event.parse(event), author())
  await expect(cell).toContainText('新米の会')
  await expect(page.locator('#day')).toContainText('新米の会')
  const other = `${today.slice(0, 8)}${today.endsWith('15') ? '16' : '15'}`
  await translate(page)
  const added = await readEvent(db, 'translated', null)
  if (!added) throw new Error('Expected the event')
  await saveEvent(db, added, Event.parse({ ...event, title: '新そばの会', startTime: '11:00' }), author())
  await expect(cell).toContainText('新そばの会')
  await expect(cell).not.toContainText('新米の会')
  await expect(page.locator('#day')).toContainText('11:00')
  await translate(page)
  await page.locator(`td[data-day="${other}"]`).click({ position: { x: 8, y: 8 } })
  await expect(page.locator('#day-heading')).toContainText(`${Number(other.slice(8))}日`)
  await expect(page.locator('#day-heading')).not.toContainText(`月${Number(today.slice(8))}日`)
})

editorTest('shows the RSVPs of an event on a translated page', async ({ owner, approved }) => {
  const organiser = await owner({ viewport: desktop })
  await organiser.goto('/api/health')
  const { path } = await createEvent(organiser, { title: '早朝練習', attendance: 'yes', capacity: '1' })
  await open(organiser, path)
  const dialog = organiser.getByRole('dialog', { name: '早朝練習' })
  await expect(dialog).toContainText('まだどなたもいません')
  const page = await approved({ viewport: desktop })
  await open(page, '/memberlist')
  const event = page.getByRole('article', { name: '早朝練習' })
  await expect(event).toContainText('まだ回答していません')
  for (const tab of [organiser, page]) await translate(tab)
  await event.getByRole('button', { name: '参加', exact: true }).click()
  await expect(dialog).toContainText('参加 1名／1名')
  await expect(event).toContainText('回答：参加')
  await translate(organiser)
  await event.getByRole('button', { name: '不参加' }).click()
  await expect(dialog).not.toContainText('参加 1名／1名')
})

/** Wraps each text node in two `font` elements, as Chrome does when it translates a page. */
async function translate(page: Page) {
  await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) texts.push(walker.currentNode as Text)
    for (const text of texts) {
      if (!text.data.trim() || text.parentElement?.closest('script, style, textarea, option, font')) continue
      const outer = document.createElement('font')
      outer.append(document.createElement('font'))
      outer.firstElementChild?.append(text.data)
      text.replaceWith(outer)
    }
  })
}
