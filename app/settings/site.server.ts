import type { Db } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import { newSave } from '../records/record.ts'
import { add, lockRow } from '../records/records.server.ts'
import { saveSettings } from '../records/settings-record.server.ts'
import type { Author } from '../request.ts'
import { parseCircle, selectCircle } from './circle.server.ts'
import type { SiteSettings } from './site.ts'
import { flattenSettings, settingsOf, siteRecord, siteSettings, unflattenSettings } from './site-record.server.ts'

/**
 * Returns the settings of the shop, or their defaults. If the site has no circle, `dishesAndCalendarByStaffOnly` is
 * true, and the contact form does not offer the circle.
 */
export async function readSite(db: Db): Promise<SiteSettings> {
  const stored = await db
    .selectNoFrom((eb) => [
      eb.selectFrom('site').select('facts').where('id', '=', 'site').as('facts'),
      selectCircle(eb).as('circle'),
    ])
    .executeTakeFirstOrThrow()
  const facts = settingsOf(stored.facts === null ? null : { facts: stored.facts })
  const circle = parseCircle(stored.circle)
  if (circle.shown) return facts
  const names = facts.recipientNames
  const recipientNames = names.circle === circle.title ? { ...names, circle: '' } : names
  return { ...facts, dishesAndCalendarByStaffOnly: true, recipientNames }
}

export async function readSiteToEdit(db: Db) {
  const row = await db.selectFrom('site').selectAll().where('id', '=', 'site').executeTakeFirst()
  return { version: row?.version ?? 0, facts: settingsOf(row) }
}

/** Saves the first settings of a site. Returns the save ID, or null if settings are already stored. */
export async function createSite(db: Db, facts: SiteSettings, author: Author) {
  const save = newSave(author, 'add')
  return inTransaction(db, async (trx) => {
    if (await lockRow(trx, siteRecord, 'site')) return null
    await add(trx, siteRecord, { id: 'site' as const, facts: JSON.stringify(facts) }, save)
    return save.id
  })
}

/**
 * Saves the given settings and merges them with changes of other authors. Throws `ImageMissing` if the map image is
 * missing.
 */
export async function saveSite(
  db: Db,
  { facts, ...seen }: SeenVersion & { facts: Partial<SiteSettings> },
  author: Author,
) {
  const saved = await saveSettings(db, siteSettings, { ...seen, facts: flattenSettings(facts) }, author)
  if (saved.error !== 'conflict') return saved
  return { ...saved, facts: unflattenSettings(saved.facts), mixed: unflattenSettings(saved.mixed) }
}

/** Returns the time at which the database was first used, in milliseconds since 1970. */
export async function siteCreatedAt(db: Db) {
  const { begunAt } = await db
    .selectFrom('marks')
    .select(({ fn }) => fn.min('at').as('begunAt'))
    .executeTakeFirstOrThrow()
  return Date.parse(begunAt)
}
