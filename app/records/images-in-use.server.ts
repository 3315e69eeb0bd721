import type { Logger } from 'pino'
import { untypedTables } from '../../db/engine.ts'
import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { lockImage, lockImageOf, readImageFile } from '../media/images.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import type { AnyRecordType, RecordRow, RecordType } from './record.ts'

const HOUR_MS = 60 * 60_000
const UNUSED_TTL_MS = 24 * HOUR_MS
/** Retention of images that only the history contains. Equals the retention of the bin. */
const HISTORY_TTL_MS = 90 * 24 * HOUR_MS

/** Locks the images that a save adds until the transaction ends. Throws `ImageMissing` if an image is missing. */
export async function lockNewImages<Row extends RecordRow>(
  trx: Trx,
  { imagesOf = () => [] }: Pick<RecordType<Row>, 'imagesOf'>,
  after: Omit<Row, 'version' | 'updatedAt'>,
  before: Row | null = null,
) {
  const currentUrls = before ? imagesOf(before) : []
  const added = imagesOf(after as Row).filter((url) => !currentUrls.includes(url))
  // Locks the images in sorted order, to prevent deadlocks between two saves.
  for (const url of added.sort()) await lockImageOf(trx, url)
}

/** Removes an image, unless a record or a restorable revision contains it. `now` is in milliseconds since 1970. */
export async function removeImage(db: Db, recordTypes: readonly AnyRecordType[], filename: string, now: number) {
  const file = await readImageFile(db, filename)
  const [outcome = 'missing'] = file ? await removeUnused(db, recordTypes, [file.name], now) : []
  return outcome
}

function removeUnused(db: Db, recordTypes: readonly AnyRecordType[], names: string[], now: number) {
  return inTransaction(db, async (trx) => {
    const stored: string[] = []
    // Locks the images first, so that a concurrent save with one of the images commits before the check for uses.
    for (const name of names.toSorted()) if (await lockImage(trx, name)) stored.push(name)
    const used = await namesInUse(trx, recordTypes, now)
    const unused = stored.filter((name) => !used.has(name))
    for (const name of unused) await trx.deleteFrom('pictures').where('name', '=', name).execute()
    return stored.map((name) => (used.has(name) ? ('in use' as const) : ('removed' as const)))
  })
}

// The result includes the images of deleted records and of revisions that can still be restored.
async function namesInUse(db: Db, recordTypes: readonly AnyRecordType[], now: number) {
  const since = timeBefore(now, HISTORY_TTL_MS)
  const names = new Set<string>()
  for (const { table, subject, imagesOf } of recordTypes) {
    if (!imagesOf) continue
    const rows = await untypedTables(db).selectFrom(table).selectAll().execute()
    const revisions = await db
      .selectFrom('revisions')
      .select(['before', 'after'])
      .where('subject', '=', subject)
      .where('at', '>=', since)
      .execute()
    const states = revisions.flatMap(({ before, after }) => [before, after].map((state) => state && JSON.parse(state)))
    const isRestorable = (row: Partial<RecordRow>) => !row.deletedAt || row.deletedAt >= since
    for (const row of [...rows.filter(isRestorable), ...states.filter(Boolean)])
      for (const url of urlsIn(row, imagesOf)) {
        const [, name] = /^\/pictures\/([0-9a-f]{32})-/.exec(url) ?? []
        if (name) names.add(name)
      }
  }
  return names
}

// If a revision of an earlier site version does not match the current schema, returns every image URL in the row.
function urlsIn(row: RecordRow, imagesOf: (row: RecordRow) => readonly string[]) {
  try {
    return imagesOf(row)
  } catch {
    return JSON.stringify(row).match(/\/pictures\/[0-9a-f]{32}-/g) ?? []
  }
}

/** Removes unused images that are older than a day. Returns the number of removed images. `now` is in milliseconds. */
export async function removeUnusedImages(db: Db, recordTypes: readonly AnyRecordType[], now: number) {
  const candidates = await db
    .selectFrom('pictures')
    .select('name')
    .where('uploadedAt', '<', timeBefore(now, UNUSED_TTL_MS))
    .execute()
  const used = candidates.length > 0 ? await namesInUse(db, recordTypes, now) : new Set()
  const unused = candidates.map(({ name }) => name).filter((name) => !used.has(name))
  const outcomes = unused.length > 0 ? await removeUnused(db, recordTypes, unused, now) : []
  return outcomes.filter((outcome) => outcome === 'removed').length
}

type RemovalOptions = { db: Db; recordTypes: readonly AnyRecordType[]; clock: () => number; log: Logger }

/** Removes unused images now and every hour. Returns a function that stops and waits for a running removal. */
export function startRemovingUnusedImages({ db, recordTypes, clock, log }: RemovalOptions) {
  const removeImages = async () => {
    const removed = await removeUnusedImages(db, recordTypes, clock())
    if (removed > 0) log.info({ removed }, 'unused images removed')
  }
  return repeat(removeImages, { every: HOUR_MS, failed: (err) => log.error({ err }, 'unused image removal failed') })
}

function timeBefore(now: number, duration: number) {
  return new Date(now - duration).toISOString()
}
