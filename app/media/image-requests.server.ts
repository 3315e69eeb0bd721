import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from '../../db/tables.ts'
import { BodyRefused, PICTURE_FORM, withBody } from '../platform/body.server.ts'
import { boundaryOf, partsOf } from '../platform/multipart.server.ts'
import type { Author } from '../request.ts'
import { readImageFile, storeImage } from './images.server.ts'

type World = {
  db: Kysely<Tables>
  log: Logger
  /** Returns the author or the permission error; called again after the body has arrived, because a session may end. */
  author: () => Promise<Author | { status: number; message: string }>
  address: string | null
  /** Removes an unused image. `now` is in milliseconds. */
  remove: (filename: string, now: number) => Promise<'removed' | 'in use' | 'missing'>
}

const MAX_BYTES = 25 * 1024 * 1024
// Bytes of the JSON body of a removal.
const MAX_NAME = 4096
const TOO_LARGE = '写真が大きすぎます。25 MBまでの写真をお選びください。'

const types = { avif: 'image/avif', webp: 'image/webp', jpg: 'image/jpeg' }

/** Serves an image file with an immutable cache header, because its name is a hash of the upload. */
export async function serveImage(db: Kysely<Tables>, filename: string) {
  const file = await readImageFile(db, filename)
  if (!file) return new Response(null, { status: 404 })
  return new Response(Uint8Array.from(file.bytes), {
    headers: {
      'content-type': types[file.format],
      'content-length': String(file.bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      // Browsers add an inline style to an image that is opened on its own.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    },
  })
}

export async function handleUpload(request: Request, { db, log, author, address }: World) {
  const refuse = (status: number, message: string) => {
    log.info({ status, why: message }, 'image upload rejected')
    return answer({ success: false, url: '', message }, status)
  }
  const boundary = boundaryOf(request.headers.get('content-type') ?? '')
  if (!boundary) return refuse(415, '写真を受け取れませんでした。写真を選んで送ってください。')
  try {
    return await withBody(request, { most: PICTURE_FORM, address }, async (arrived) => {
      const parts = partsOf(Buffer.from(await arrived.arrayBuffer()), boundary)
      const bytesOf = (field: string) => parts?.find(({ name }) => name === field)?.bytes
      const bytes = bytesOf('image')
      if (!bytes) return refuse(400, '写真が届きませんでした。もう一度お選びください。')
      if (bytes.length > MAX_BYTES) return refuse(413, TOO_LARGE)
      const by = await author()
      if ('status' in by) return refuse(by.status, by.message)
      const large = bytesOf('large')?.toString()
      const box = large === 'portrait' ? 'portrait' : large ? 'screen' : 'card'
      const stored = await storeImage(db, bytes, box, by)
      if (stored.outcome === 'refused') return refuse(stored.status, stored.message)
      return answer({ success: true, url: stored.url, message: '写真を保存しました。' }, 200)
    })
  } catch (error) {
    if (!(error instanceof BodyRefused)) throw error
    return refuse(error.status, error.status === 413 ? TOO_LARGE : error.message)
  }
}

/** Removes the image whose `filename` (the last segment of its URL) is in the JSON body. */
export async function handleRemoval(request: Request, { author, address, remove }: World) {
  const refuse = (status: number, message: string) => answer({ success: false, message }, status)
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    return refuse(415, '消す写真の名前をJSONで送ってください。')
  }
  const asked: unknown = await withBody(request, { most: MAX_NAME, address }, (body) => body.json().catch(() => null))
  const filename = asked && typeof asked === 'object' && 'filename' in asked ? asked.filename : null
  if (typeof filename !== 'string') return refuse(400, '消す写真の名前がありません。')
  const unknown = Object.keys(asked as object).find((name) => name !== 'filename')
  if (unknown !== undefined) return refuse(400, `「${unknown.slice(0, 40)}」という項目は受け取れません。`)
  const by = await author()
  if ('status' in by) return refuse(by.status, by.message)
  const outcome = await remove(filename, Date.parse(by.at))
  if (outcome === 'missing') return refuse(404, 'この写真は見つかりません。')
  if (outcome === 'in use') return refuse(409, 'この写真は使われているか、元に戻せる記録に残っているため、消しません。')
  return answer({ success: true, message: '写真を消しました。' }, 200)
}

function answer(body: object, status: number) {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
}
