import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Values } from '../forms/drafts.ts'
import type { Outcome } from '../forms/outcome.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import type { SettingsResult } from '../forms/settings-form.tsx'
import type { Author } from '../request.ts'
import { lockNewImages } from './images-in-use.server.ts'
import { type FieldGroups, merge } from './merge.ts'
import { advanceSeenVersion } from './own-saves.server.ts'
import { newSave, type RecordRow, type RecordType, type SampleLeft } from './record.ts'
import { add, change, lockRow, unlessDeleted } from './records.server.ts'
import { readVersion } from './revisions.server.ts'

export type SettingsRecord<Row extends RecordRow, Facts extends object> = {
  kind: RecordType<Row>
  id: string
  /** Returns the settings in a row or revision. Returns the defaults if the row is null. */
  factsOf(row: Row | null): Facts
  columnsOf(facts: Facts): Omit<Row, 'version' | 'updatedAt'>
  /** Groups of settings that only make sense together. */
  groups?: FieldGroups<Facts>
}

type SettingsConflict<Facts> = { version: number; facts: Facts; mixed: Facts; clashes: string[] }

/** Outcome of a save of settings. The value is the ID of the save, or null if no setting differed. */
export type SettingsOutcome<Facts> = Outcome<string | null, SettingsConflict<Facts>>

/**
 * Saves settings, merged with other authors' changes. `version` is 0 before the first save. Throws `ImageMissing` if an
 * image is missing. `facts` may be a function of the settings that the editor saw and of the stored settings.
 */
export function saveSettings<Row extends RecordRow, Facts extends object>(
  db: Db,
  record: SettingsRecord<Row, Facts>,
  { facts, ...seen }: SeenVersion & { facts: Partial<Facts> | ((base: Facts, now: Facts) => Partial<Facts>) },
  author: Author,
): Promise<SettingsOutcome<Facts>> {
  const { kind, id, factsOf, columnsOf, groups } = record
  const save = newSave(author, 'save')
  return inTransaction(db, async (trx) => {
    const row = await lockRow(trx, kind, id)
    const present = unlessDeleted(row)
    const now = factsOf(present)
    const base = await settingsAt(trx, record, await advanceSeenVersion(trx, kind, { id, ...seen }, author), present)
    const submitted = typeof facts === 'function' ? facts(base ?? now, now) : facts
    const { changes, mixed, clashes } = merge(base, now, submitted, groups)
    if (clashes.length > 0)
      return { error: 'conflict', version: present?.version ?? 0, facts: now, mixed, clashes: clashes as string[] }
    if (Object.keys(changes).length === 0) return { ok: null }
    const columns = columnsOf(mixed)
    await lockNewImages(trx, kind, columns, present)
    if (row) await change(trx, kind, row, columns as Partial<Row>, save)
    else await add(trx, kind, columns, { ...save, action: 'add' })
    return { ok: save.id }
  })
}

export function settingsReply<Facts>(
  saved: SettingsOutcome<Facts>,
  valuesOf: (facts: Facts) => Values,
  done: (save: string) => SettingsResult,
): SettingsResult & { status: number } {
  if (saved.ok) return { status: 200, ...done(saved.ok) }
  if (saved.error !== 'conflict') return { status: 200, done: '変更はありませんでした。' }
  const { version, facts, mixed, clashes } = saved
  return { status: 409, values: valuesOf(mixed), newer: { version, values: valuesOf(facts), clashes } }
}

/** Counts the settings that still equal the sample content and differ from the defaults. */
export function sampleLeftOf<Row extends RecordRow, Facts extends object>(
  { factsOf, columnsOf }: Pick<SettingsRecord<Row, Facts>, 'factsOf' | 'columnsOf'>,
  [now, sample]: [Row, Row],
): SampleLeft<Row> {
  const [facts, then, defaults] = [factsOf(now), factsOf(sample), factsOf(null)]
  const toJson = (settings: Facts, name: string) => JSON.stringify(settings[name as keyof Facts])
  const unchanged = Object.keys(facts).filter((name) => {
    return toJson(facts, name) === toJson(then, name) && toJson(facts, name) !== toJson(defaults, name)
  })
  const cleared = Object.fromEntries(unchanged.map((name) => [name, defaults[name as keyof Facts]]))
  return { count: unchanged.length, without: columnsOf({ ...facts, ...cleared }) as Partial<Row> }
}

// Reads from the history, not from the browser. Returns null if the version is unknown.
async function settingsAt<Row extends RecordRow, Facts extends object>(
  trx: Trx,
  { kind, id, factsOf }: SettingsRecord<Row, Facts>,
  version: number,
  now: Row | null,
) {
  if (version === (now?.version ?? 0)) return factsOf(now)
  if (version === 0) return factsOf(null)
  const row = await readVersion<Row>(trx, { subject: kind.subject, subjectId: id, version })
  return row && factsOf(row)
}
