import type { Kysely, Transaction } from 'kysely'
import type { Logger } from 'pino'
import { anyTable } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { holdPicture, lockPicture, readPicture } from '../media/images.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import type { AnyKind, Kept, Kind } from './record.ts'

const HOUR_MS = 60 * 60_000
const LEFTOVERS_TTL_MS = 24 * HOUR_MS
/** Equals the retention of the bin. */
const HISTORY_TTL_MS = 90 * 24 * HOUR_MS

/** Locks the images that a save adds to a record until the transaction ends. Throws `PictureGone` if one is missing. */
export async function holdPictures<Row extends Kept>(
  trx: Transaction<Tables>,
  { picturesOf = () => [] }: Pick<Kind<Row>, 'picturesOf'>,
  after: Omit<Row, 'version' | 'updatedAt'>,
  before: Row | null = null,
) {
  const known = before ? picturesOf(before) : []
  const added = picturesOf(after as Row).filter((url) => !known.includes(url))
  // Sorted, to prevent deadlocks between two saves.
  for (const url of added.sort()) await holdPicture(trx, url)
}

/** Removes every size of an image, unless a record uses or could restore the image. `now` is in milliseconds. */
export async function removePicture(db: Kysely<Tables>, kinds: readonly AnyKind[], filename: string, now: number) {
  const file = await readPicture(db, filename)
  const [outcome = 'missing'] = file ? await removeUnused(db, kinds, [file.name], now) : []
  return outcome
}

// Returns an outcome for each image that is still stored.
function removeUnused(db: Kysely<Tables>, kinds: readonly AnyKind[], names: string[], now: number) {
  return inTransaction(db, async (trx) => {
    const stored: string[] = []
    // Takes the row locks first, so that a save in `holdPicture` commits before the check for uses.
    for (const name of names.toSorted()) if (await lockPicture(trx, name)) stored.push(name)
    const used = await namesInUse(trx, kinds, now)
    const unused = stored.filter((name) => !used.has(name))
    for (const name of unused) await trx.deleteFrom('pictures').where('name', '=', name).execute()
    return stored.map((name) => (used.has(name) ? ('in use' as const) : ('removed' as const)))
  })
}

// Records count while they are in the bin, revisions while they can be restored.
async function namesInUse(db: Kysely<Tables>, kinds: readonly AnyKind[], now: number) {
  const since = before(now, HISTORY_TTL_MS)
  const names = new Set<string>()
  for (const { table, subject, picturesOf } of kinds) {
    if (!picturesOf) continue
    const rows = await anyTable(db).selectFrom(table).selectAll().execute()
    const revisions = await db
      .selectFrom('revisions')
      .select(['before', 'after'])
      .where('subject', '=', subject)
      .where('at', '>=', since)
      .execute()
    const states = revisions.flatMap(({ before, after }) => [before, after].map((state) => state && JSON.parse(state)))
    const isRestorable = (row: Partial<Kept>) => !row.deletedAt || row.deletedAt >= since
    for (const row of [...rows.filter(isRestorable), ...states.filter(Boolean)])
      for (const url of urlsIn(row, picturesOf)) {
        const [, name] = /^\/pictures\/([0-9a-f]{32})-/.exec(url) ?? []
        if (name) names.add(name)
      }
  }
  return names
}

// A revision of an earlier version may not match the present schema; then every URL in the row counts.
function urlsIn(row: Kept, picturesOf: (row: Kept) => readonly string[]) {
  try {
    return picturesOf(row)
  } catch {
    return JSON.stringify(row).match(/\/pictures\/[0-9a-f]{32}-/g) ?? []
  }
}

/** Removes images older than a day that no record uses, and returns their number. `now` is in milliseconds. */
export async function sweepPictures(db: Kysely<Tables>, kinds: readonly AnyKind[], now: number) {
  const old = await db
    .selectFrom('pictures')
    .select('name')
    .where('uploadedAt', '<', before(now, LEFTOVERS_TTL_MS))
    .execute()
  const used = old.length > 0 ? await namesInUse(db, kinds, now) : new Set()
  const unused = old.map(({ name }) => name).filter((name) => !used.has(name))
  const outcomes = unused.length > 0 ? await removeUnused(db, kinds, unused, now) : []
  return outcomes.filter((outcome) => outcome === 'removed').length
}

type Sweeping = { db: Kysely<Tables>; kinds: readonly AnyKind[]; clock: () => number; log: Logger }

/** Sweeps now and every hour. Returns a function that stops the timer and waits for a running sweep. */
export function startSweepingPictures({ db, kinds, clock, log }: Sweeping) {
  const sweep = async () => {
    const removed = await sweepPictures(db, kinds, clock())
    if (removed > 0) log.info({ removed }, 'pictures that no page shows')
  }
  return repeat(sweep, { every: HOUR_MS, failed: (err) => log.error({ err }, 'pictures cannot be swept') })
}

function before(now: number, duration: number) {
  return new Date(now - duration).toISOString()
}
