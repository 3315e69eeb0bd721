import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from '../../db/tables.ts'
import type { Author } from '../history/revision.ts'
import { createGate } from './gate.ts'
import { readPicture, removePicture, storePicture } from './images.server.ts'
import { boundaryOf, partsOf } from './multipart.server.ts'

type World = { db: Kysely<Tables>; log: Logger; author: Author }

/** The largest picture that is taken. */
export const MOST_BYTES = 25 * 1024 * 1024
// Beside the picture stand its boundary and headers.
const MOST_BODY = MOST_BYTES + 16 * 1024
const MOST_WAITING = 20

// However many come at once, what is held of them has its limit.
const receiving = createGate({ places: MOST_WAITING, room: 2 * MOST_BODY })

const types = { avif: 'image/avif', webp: 'image/webp', jpg: 'image/jpeg' }

/** A file of a picture, for ever: another picture has another name. */
export async function servePicture(db: Kysely<Tables>, filename: string) {
  const file = await readPicture(db, filename)
  if (!file) return new Response(null, { status: 404 })
  return new Response(Uint8Array.from(file.bytes), {
    headers: {
      'content-type': types[file.format],
      'content-length': String(file.bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
    },
  })
}

/** Takes a picture from the field `image` of a form; with the field `large`, as large as a screen. */
export async function takeUpload(request: Request, { db, log, author }: World) {
  const refuse = (status: number, message: string) => {
    log.info({ status, why: message }, 'picture refused')
    return answer({ success: false, url: '', message }, status)
  }
  const tooLarge = () => refuse(413, '写真が大きすぎます。25 MBまでの写真をお選びください。')
  const boundary = boundaryOf(request.headers.get('content-type') ?? '')
  if (!boundary) return refuse(415, '写真を受け取れませんでした。写真を選んで送ってください。')
  const size = Number(request.headers.get('content-length') ?? MOST_BODY)
  if (!(size <= MOST_BODY)) return tooLarge()
  if (receiving.waiting() >= MOST_WAITING) {
    return refuse(429, '写真がたくさん届いています。少し待ってから、もう一度お試しください。')
  }
  return receiving.pass(size, async () => {
    const body = await bytesOf(request)
    if (!body) return tooLarge()
    const parts = partsOf(body, boundary)
    const bytes = parts?.get('image')
    if (!bytes) return refuse(400, '写真が届きませんでした。もう一度お選びください。')
    if (bytes.length > MOST_BYTES) return tooLarge()
    const stored = await storePicture(db, bytes, parts?.get('large')?.length ? 'screen' : 'card', author)
    if (stored.outcome === 'refused') return refuse(stored.status, stored.message)
    return answer({ success: true, url: stored.url, message: '写真を保存しました。' }, 200)
  })
}

// Null as soon as it is more than may be.
async function bytesOf(request: Request) {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > MOST_BODY) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Removes the picture whose `filename`, the last part of its address, the JSON names. */
export async function takeRemoval(request: Request, { db, author }: World) {
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    return answer({ success: false, message: '消す写真の名前をJSONで送ってください。' }, 415)
  }
  const asked: unknown = await request.json().catch(() => null)
  const filename = asked && typeof asked === 'object' && 'filename' in asked ? asked.filename : null
  if (typeof filename !== 'string') return answer({ success: false, message: '消す写真の名前がありません。' }, 400)
  const outcome = await removePicture(db, filename, Date.parse(author.at))
  if (outcome === 'missing') return answer({ success: false, message: 'この写真は見つかりません。' }, 404)
  if (outcome === 'in use') {
    return answer(
      { success: false, message: 'この写真は使われているか、元に戻せる記録に残っているため、消しません。' },
      409,
    )
  }
  return answer({ success: true, message: '写真を消しました。' }, 200)
}

function answer(body: object, status: number) {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
}
