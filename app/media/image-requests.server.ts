import type { Logger } from 'pino'
import type { Db } from '../../db/tables.ts'
import { BodyRejected, MAX_IMAGE_FORM_BYTES, readJson, withBody } from '../platform/body.server.ts'
import { boundaryOf, partsOf } from '../platform/multipart.server.ts'
import type { Author } from '../request.ts'
import { readImageFile, storeImage } from './images.server.ts'

type ImageDependencies = {
  db: Db
  log: Logger
  /** Runs again after the body has arrived, because the session may have ended. */
  author: () => Promise<Author | { status: number; message: string }>
  address: string | null
  /** Removes an image. `now` is in milliseconds since 1970. */
  remove: (filename: string, now: number) => Promise<'removed' | 'in use' | 'missing'>
}

const MAX_IMAGE_BYTES = 25 * 1024 * 1024
const MAX_REMOVAL_BYTES = 4096
const TOO_LARGE = '写真が大きすぎます。25 MBまでの写真をお選びください。'

const types = { avif: 'image/avif', webp: 'image/webp', jpg: 'image/jpeg' }

/** Serves an image file with an immutable cache header, because the file name contains a hash of the upload. */
export async function serveImage(db: Db, filename: string) {
  const file = await readImageFile(db, filename)
  if (!file) return new Response(null, { status: 404 })
  return new Response(Uint8Array.from(file.bytes), {
    headers: {
      'content-type': types[file.format],
      'content-length': String(file.bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      // Browsers add an inline style to an image that is opened in its own tab.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    },
  })
}

export async function handleUpload(request: Request, { db, log, author, address }: ImageDependencies) {
  const reject = (status: number, message: string) => {
    log.info({ status, reason: message }, 'image upload rejected')
    return jsonResponse({ success: false, url: '', message }, status)
  }
  const boundary = boundaryOf(request.headers.get('content-type') ?? '')
  if (!boundary) return reject(415, '写真を受け取れませんでした。写真を選んで送ってください。')
  try {
    return await withBody(request, { most: MAX_IMAGE_FORM_BYTES, address }, async (body) => {
      const parts = partsOf(Buffer.from(await body.arrayBuffer()), boundary)
      const bytesOf = (field: string) => parts?.find(({ name }) => name === field)?.bytes
      const bytes = bytesOf('image')
      if (!bytes) return reject(400, '写真が届きませんでした。もう一度お選びください。')
      if (bytes.length > MAX_IMAGE_BYTES) return reject(413, TOO_LARGE)
      const uploader = await author()
      if ('status' in uploader) return reject(uploader.status, uploader.message)
      const large = bytesOf('large')?.toString()
      const box = large === 'portrait' ? 'portrait' : large ? 'screen' : 'card'
      const stored = await storeImage(db, bytes, box, uploader)
      if (typeof stored !== 'string') return reject(stored.status, stored.message)
      return jsonResponse({ success: true, url: stored, message: '写真を保存しました。' }, 200)
    })
  } catch (error) {
    if (!(error instanceof BodyRejected)) throw error
    return reject(error.status, error.status === 413 ? TOO_LARGE : error.message)
  }
}

export async function handleRemoval(request: Request, { author, address, remove }: ImageDependencies) {
  const reject = (status: number, message: string) => jsonResponse({ success: false, message }, status)
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    return reject(415, '削除する写真の名前をJSONで送信してください。')
  }
  const body = await readJson(request, { most: MAX_REMOVAL_BYTES, address })
  const filename = body && typeof body === 'object' && 'filename' in body ? body.filename : null
  if (typeof filename !== 'string') return reject(400, '削除する写真の名前がありません。')
  const unknown = Object.keys(body as object).find((name) => name !== 'filename')
  if (unknown !== undefined) return reject(400, `「${unknown.slice(0, 40)}」という項目は受け取れません。`)
  const remover = await author()
  if ('status' in remover) return reject(remover.status, remover.message)
  const outcome = await remove(filename, Date.parse(remover.at))
  if (outcome === 'missing') return reject(404, 'この写真は見つかりません。')
  if (outcome === 'in use')
    return reject(409, 'この写真は使われているか、元に戻せる記録に残っているため、削除できません。')
  return jsonResponse({ success: true, message: '写真を削除しました。' }, 200)
}

function jsonResponse(body: object, status: number) {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
}
