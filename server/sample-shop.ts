import { Event } from '../app/calendar/event.ts'
import { addEvent } from '../app/calendar/events.server.ts'
import { type CollectionName, cardSchema } from '../app/cards/card.ts'
import { addCard } from '../app/cards/cards.server.ts'
import { dayInJapan } from '../app/dates/japan.ts'
import { addDays, weekdayOf } from '../app/dates/month.ts'
import { eachRow, noSlots } from '../app/hours/business-day.ts'
import { saveSpecialDays, saveWeek } from '../app/hours/business-days.server.ts'
import { siteUses } from '../app/owner/site-uses.ts'
import { type PageName, type PageSettings, pageNames } from '../app/pages/page.ts'
import { pageSettingsOf } from '../app/pages/page-record.server.ts'
import { savePage } from '../app/pages/pages.server.ts'
import type { Author } from '../app/request.ts'
import { createSite } from '../app/settings/site.server.ts'
import { SiteSettings } from '../app/settings/site.ts'
import type { Db, Trx } from '../db/tables.ts'
import { inTransaction } from '../db/transaction.ts'
import sample from './sample-shop.json' with { type: 'json' }

const pages: { [Name in PageName]?: Partial<PageSettings> } = sample.pages as object

/**
 * Adds the sample shop if `wanted` is true, but only at the first call for a database. `now` is in milliseconds since
 * 1970. Returns whether the sample shop was added.
 */
export async function fillSampleShop(db: Db, { wanted, now }: { wanted: boolean; now: number }) {
  const author = { accountId: null, at: new Date(now).toISOString() }
  return inTransaction(db, async (trx) => {
    const decision = await trx
      .insertInto('marks')
      .values({ name: 'sample shop decided', at: author.at })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('name')
      .executeTakeFirst()
    if (!decision) return false
    if (!wanted) {
      await hideOptionalPages(trx, author)
      return false
    }
    await createSite(trx, SiteSettings.parse(sample.facts), author)
    await saveWeek(trx, schedule, { version: 0 }, author)
    await fillCalendar(trx, dayInJapan(now), author)
    for (const [name, items] of Object.entries(sample.cards)) {
      const collection = name as CollectionName
      const schema = cardSchema(collection)
      for (const [index, item] of items.entries())
        await addCard(trx, collection, schema.parse({ order: index + 1, ...item }), author)
    }
    for (const id of pageNames) {
      const facts = { ...pageSettingsOf(id, null), ...pages[id] }
      await savePage(trx, id, { version: 0, facts }, author)
    }
    await markAsSample(trx)
    return true
  })
}

/** Marks all revisions as sample content, so that the history distinguishes it from the owner's content. */
export async function markAsSample(trx: Trx) {
  await trx.updateTable('revisions').set({ action: 'sample' }).execute()
}

// The owner has not requested these pages yet, and the setup wizard offers them.
async function hideOptionalPages(trx: Trx, author: Author) {
  for (const name of [...siteUses.circle.pages, ...siteUses.portfolio.pages]) {
    await savePage(trx, name, { version: 0, facts: { ...pageSettingsOf(name, null), shown: false } }, author)
  }
}

async function fillCalendar(db: Db, today: string, author: Author) {
  const year = Number(today.slice(0, 4))
  const days = [`${year}-12-31`, `${year + 1}-01-01`, `${year + 1}-01-02`, `${year + 1}-01-03`]
  await saveSpecialDays(db, { days, reason: '年末年始休業', slots: noSlots }, new Map(), author)
  const saturday = addDays(today, (13 - weekdayOf(today)) % 7)
  for (const { daysAfterSaturday, ...event } of sample.events) {
    const day = addDays(saturday, daysAfterSaturday)
    await addEvent(db, crypto.randomUUID(), Event.parse({ ...event, day }), author)
  }
}

// Holidays and their eves have the hours of their weekday.
const schedule = eachRow((name) => ({
  open: !['火曜日', '水曜日'].includes(name),
  slots: /^[火水祝]/.test(name) ? noSlots : sample.openSlots,
}))
