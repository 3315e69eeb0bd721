import { createHash } from 'node:crypto'
import PQueue from 'p-queue'
import type { Db, PictureFileRow } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { countAttempt } from '../platform/attempts.server.ts'
import { runInChildProcess } from '../platform/child-process.server.ts'
import type { Author } from '../request.ts'
import type { ImageError, ImageVariants } from './encode.ts'
import { type Box, boxes } from './image.ts'

const encoding = new PQueue({ concurrency: 1 })

/** Stores an image in every size of its box and returns its URL. The same bytes and box always have the same URL. */
export async function storeImage(db: Db, bytes: Buffer, box: Box, author: Author): Promise<string | ImageError> {
  const { name, url } = nameAndUrlOf(bytes, box)
  const updated = await db.updateTable('pictures').set(ownerOf(author)).where('name', '=', name).executeTakeFirst()
  if (updated.numUpdatedRows > 0) return url
  // Checks the rate limit before decoding the image, because the limit bounds the total decoding time.
  if (await countAttempt(db, 'upload', { account: author.accountId, now: Date.parse(author.at) }))
    return { status: 429, message: '短時間に多数の写真が送信されました。しばらくしてからお試しください。' }
  const image = await encodeImage(bytes, box)
  if ('message' in image) return image
  await insertImage(db, image, author)
  return url
}

export type EncodedImage = { name: string; url: string; encoded: ImageVariants }

/** Encodes images in separate processes, one image at a time. Throws if the process is killed. */
export async function encodeImage(bytes: Buffer, box: Box): Promise<EncodedImage | ImageError> {
  const encoded = await encoding.add(() =>
    runInChildProcess<ImageVariants | ImageError>('app/media/encode-process.ts', { bytes, box }),
  )
  return 'message' in encoded ? encoded : { ...nameAndUrlOf(bytes, box), encoded }
}

/** Stores an encoded image. If the image already exists, the author becomes its owner. */
export function insertImage(db: Db, { name, encoded }: EncodedImage, author: Author) {
  const { width, height, files } = encoded
  const owner = ownerOf(author)
  return inTransaction(db, async (trx) => {
    await trx
      .insertInto('pictures')
      .values({ name, width, height, ...owner })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(owner))
      .execute()
    await trx
      .insertInto('pictureFiles')
      .values(files.map((file) => ({ name, ...file })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
}

/** Returns the name and the URL of an uploaded image. The same bytes and box always have the same name. */
export function nameAndUrlOf(bytes: Buffer, box: Box) {
  const widest = boxes[box].width
  const name = createHash('sha256').update(`${widest} `).update(bytes).digest('hex').slice(0, 32)
  return { name, url: `/pictures/${name}-${widest}.jpg` }
}

function ownerOf({ accountId, at }: Author) {
  return { accountId, uploadedAt: at }
}

export async function readImageFile(db: Db, filename: string) {
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

export class ImageMissing extends Error {
  readonly url: string
  constructor(url: string) {
    super('写真が見つかりません。もう一度お選びください。')
    this.url = url
  }
}

/**
 * Locks an uploaded image until the transaction ends, to prevent its removal. Throws `ImageMissing` if the image is
 * missing. Ignores a URL that is not the URL of an uploaded image.
 */
export async function lockImageOf(trx: Db, url = '') {
  const [, name] = /^\/pictures\/([^/]*)-\d+\.\w+$/.exec(url) ?? []
  if (name !== undefined && !(await lockImage(trx, name))) throw new ImageMissing(url)
}

/** Locks an image against new uses until the transaction ends. Returns false if the image is missing. */
export async function lockImage(trx: Db, name: string) {
  const { numUpdatedRows } = await trx
    .updateTable('pictures')
    .set((row) => ({ width: row.ref('width') }))
    .where('name', '=', name)
    .executeTakeFirst()
  return numUpdatedRows > 0
}
