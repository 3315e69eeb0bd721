import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import PQueue from 'p-queue'
import type { Logger } from 'pino'
import type { PictureFileRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { countAttempt } from '../platform/attempts.server.ts'
import { inOwnProcess } from '../platform/own-process.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import type { Author } from '../request.ts'
import type { Encoded, Refusal } from './encode.ts'
import { type Box, boxes } from './image.ts'

const HOUR = 60 * 60_000
const LEFTOVERS_KEPT_FOR = 24 * HOUR
/** Equals the retention of the bin. */
const HISTORY_KEPT_FOR = 90 * 24 * HOUR

type Stored = { outcome: 'stored'; url: string } | ({ outcome: 'refused' } & Refusal)

const encoding = new PQueue({ concurrency: 1 })

// Encodes images one at a time, each in its own process. Throws if the process is killed.
function encode(bytes: Buffer, box: Box) {
  return encoding.add(() => inOwnProcess<Encoded | Refusal>('app/media/encode-process.ts', { bytes, box }))
}

/** Stores an image in every size of its box. The same bytes and box always have the same URL. */
export async function storePicture(db: Kysely<Tables>, bytes: Buffer, box: Box, author: Author): Promise<Stored> {
  const { name, url } = addressOf(bytes, box)
  const stored = { outcome: 'stored', url } as const
  const known = await db.updateTable('pictures').set(ownerOf(author)).where('name', '=', name).executeTakeFirst()
  if (known.numUpdatedRows > 0) return stored
  // Checked before decoding, because the limit bounds the decoding time.
  if (await countAttempt(db, 'upload', { account: author.accountId, now: Date.parse(author.at) })) {
    return {
      outcome: 'refused',
      status: 429,
      message: '短い時間にたくさんの写真が届きました。しばらくしてからお試しください。',
    }
  }

  const encoded = await encode(bytes, box)
  if ('message' in encoded) return { outcome: 'refused', ...encoded }
  await keepPicture(db, { name, url, encoded }, author)
  return stored
}

export type ReadyPicture = { name: string; url: string; encoded: Encoded }

/** Encodes an image for `keepPicture` without storing anything. */
export async function readyPicture(bytes: Buffer, box: Box): Promise<ReadyPicture | Refusal> {
  const encoded = await encode(bytes, box)
  return 'message' in encoded ? encoded : { ...addressOf(bytes, box), encoded }
}

/** Stores a ready image. If the image already exists, the author becomes its owner. */
export function keepPicture(db: Kysely<Tables>, { name, encoded }: ReadyPicture, author: Author) {
  const { width, height, files } = encoded
  const owner = ownerOf(author)
  return inTransaction(db, async (trx) => {
    await trx
      .insertInto('pictures')
      .values({ name, width, height, ...owner })
      .onConflict((already) => already.column('name').doUpdateSet(owner))
      .execute()
    await trx
      .insertInto('pictureFiles')
      .values(files.map((file) => ({ name, ...file })))
      .onConflict((already) => already.doNothing())
      .execute()
  })
}

function addressOf(bytes: Buffer, box: Box) {
  const widest = boxes[box].width
  const name = createHash('sha256').update(`${widest} `).update(bytes).digest('hex').slice(0, 32)
  return { name, url: `/pictures/${name}-${widest}.jpg` }
}

function ownerOf({ accountId, at }: Author) {
  return { accountId, uploadedAt: at }
}

export async function readPicture(db: Kysely<Tables>, filename: string) {
  const [, name, width, format] = /^([0-9a-f]{32})-([1-9]\d{2,3})\.(avif|webp|jpg)$/.exec(filename) ?? []
  if (!name) return undefined
  return db
    .selectFrom('pictureFiles')
    .selectAll()
    .where('name', '=', name)
    .where('width', '=', Number(width))
    .where('format', '=', format as PictureFileRow['format'])
    .executeTakeFirst()
}

/** Removes every size of an image, unless a record uses or could restore the image. `now` is in milliseconds. */
export async function removePicture(db: Kysely<Tables>, filename: string, now: number) {
  const file = await readPicture(db, filename)
  return file ? removeUnused(db, file.name, now) : 'missing'
}

function removeUnused(db: Kysely<Tables>, name: string, now: number) {
  return inTransaction(db, async (trx) => {
    // Takes the row lock first, so that a save in `holdPicture` commits before the check for uses.
    const held = await hold(trx, name)
    if (!held) return 'missing'
    if ((await namesInUse(trx, now, name)).has(name)) return 'in use'
    await trx.deleteFrom('pictures').where('name', '=', name).execute()
    return 'removed'
  })
}

/** Error that rolls back a save whose image is no longer stored. */
export class PictureGone extends Error {
  readonly url: string
  constructor(url: string) {
    super('写真が見つかりません。もう一度お選びください。')
    this.url = url
  }
}

/**
 * Locks an uploaded image until the transaction ends, so that nobody removes the image before its URL is saved. Throws
 * `PictureGone` if the image is not stored. Ignores other URLs.
 */
export async function holdPicture(trx: Kysely<Tables>, url = '') {
  const [, name] = /^\/pictures\/([^/]*)-\d+\.\w+$/.exec(url) ?? []
  if (name !== undefined && !(await hold(trx, name))) throw new PictureGone(url)
}

async function hold(trx: Kysely<Tables>, name: string) {
  const { numUpdatedRows } = await trx
    .updateTable('pictures')
    .set((row) => ({ width: row.ref('width') }))
    .where('name', '=', name)
    .executeTakeFirst()
  return numUpdatedRows > 0
}

// Cards and pages count while they are in the bin, revisions while they can be restored.
async function namesInUse(db: Kysely<Tables>, now: number, name = '') {
  const address = `%/pictures/${name}%`
  const since = before(now, HISTORY_KEPT_FOR)
  const cards = await db
    .selectFrom('cards')
    .select(['image', 'portraitImage'])
    .where((is) => is.or([is('image', 'like', address), is('portraitImage', 'like', address)]))
    .where((is) => is.or([is('deletedAt', 'is', null), is('deletedAt', '>=', since)]))
    .execute()
  const sites = await db.selectFrom('site').select('facts').where('facts', 'like', address).execute()
  const pages = await db
    .selectFrom('pages')
    .select('facts')
    .where('facts', 'like', address)
    .where((is) => is.or([is('deletedAt', 'is', null), is('deletedAt', '>=', since)]))
    .execute()
  const revisions = await db
    .selectFrom('revisions')
    .select(['before', 'after'])
    .where('subject', 'in', ['card', 'site', 'page'])
    .where('at', '>=', since)
    .where((is) => is.or([is('before', 'like', address), is('after', 'like', address)]))
    .execute()
  const texts = [
    ...cards.flatMap(({ image, portraitImage }) => [image, portraitImage]),
    ...[...sites, ...pages].map(({ facts }) => facts),
    ...revisions.flatMap((revision) => [revision.before, revision.after]),
  ]
  return new Set(
    texts.flatMap((text) => [...(text ?? '').matchAll(/\/pictures\/([0-9a-f]{32})-/g)].map(([, each]) => each)),
  )
}

/** Removes images older than a day that no record uses, and returns their number. `now` is in milliseconds. */
export async function sweepPictures(db: Kysely<Tables>, now: number) {
  const old = await db
    .selectFrom('pictures')
    .select('name')
    .where('uploadedAt', '<', before(now, LEFTOVERS_KEPT_FOR))
    .execute()
  const used = old.length > 0 ? await namesInUse(db, now) : new Set()
  let removed = 0
  for (const { name } of old) {
    if (!used.has(name) && (await removeUnused(db, name, now)) === 'removed') removed += 1
  }
  return removed
}

/** Sweeps now and every hour. Returns a function that stops the timer and waits for a running sweep. */
export function startSweepingPictures({ db, clock, log }: { db: Kysely<Tables>; clock: () => number; log: Logger }) {
  const sweep = async () => {
    const removed = await sweepPictures(db, clock())
    if (removed > 0) log.info({ removed }, 'pictures that no page shows')
  }
  return repeat(sweep, { every: HOUR, failed: (err) => log.error({ err }, 'pictures cannot be swept') })
}

function before(now: number, duration: number) {
  return new Date(now - duration).toISOString()
}
