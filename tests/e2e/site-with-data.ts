import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayInJapan } from '../../app/dates/japan.ts'
import { addDays } from '../../app/dates/month.ts'
import { readSpecialDay, removeSpecialDay } from '../../app/hours/business-days.server.ts'
import type { NoticeForm } from '../../app/notices/notice-form.ts'
import { noticeRecord } from '../../app/notices/notice-record.server.ts'
import { listNotices, saveNotice } from '../../app/notices/notices.server.ts'
import { removeOnce } from '../../app/records/own-saves.server.ts'
import { openDatabase } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { fillSampleShop } from '../../server/sample-shop.ts'
import { test as baseTest, startSite } from './visitors.ts'

/**
 * A test that writes with `db` to the database of the site from another process, so that the site must detect changes
 * by other processes.
 */
export const test = baseTest.extend<{ withData: { url: string; db: Db }; db: Db }>({
  withData: async ({ startOnce }, use) => use(await startOnce('site with data', startWithDatabase)),
  site: ({ withData }, use) => use(withData.url),
  db: async ({ withData: { db } }, use) => {
    await use(db)
    // Tests of a worker share a site, so the special days are removed for the next test.
    const today = dayInJapan(Date.now())
    for (const day of [today, addDays(today, 1)]) {
      const special = await readSpecialDay(db, day)
      if (special) await removeSpecialDay(db, special, author())
    }
  },
})

async function startWithDatabase() {
  const folder = await mkdtemp(join(tmpdir(), 'noren-e2e-'))
  const db = await openDatabase({ file: join(folder, 'site.db') })
  await fillSampleShop(db, { wanted: true, now: Date.now() })
  // The sample shop is closed from 31 December to 3 January.
  await db.deleteFrom('specialDays').execute()
  const site = await startSite({ folder })
  return {
    service: { url: site.service.url, db },
    stop: async () => {
      await db.destroy()
      await site.stop()
    },
  }
}

/** Returns the author of a write by a test. The author has no account. */
export const author = () => ({ accountId: null, at: new Date().toISOString() })

/** Replaces all notices of the site by the given notices. */
export async function showNotices(db: Db, ...notices: Partial<NoticeForm>[]) {
  for (const { id, version } of await listNotices(db)) await removeOnce(db, noticeRecord, { id, version }, author())
  for (const notice of notices) await saveNotice(db, crypto.randomUUID(), { version: 0, facts: notice }, author())
}
