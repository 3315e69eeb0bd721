import type { Context } from 'hono'
import { LRUCache } from 'lru-cache'
import { digestOf, type Seal, sealOf } from '../../app/settings/seal.server.ts'
import { type SealPicture, sealPicture, sealPictures } from '../../app/settings/seal-picture.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { World } from './asking.ts'

type Pictures = Record<SealPicture, Uint8Array>

export type DrawSeal = (seal: Seal) => Promise<Pictures>

/** Serves the current logo, drawn at the first request. URLs of earlier logos and favicon.ico redirect to it. */
export function handleSeal({ db, log, drawSeal }: World) {
  const drawn = new LRUCache<string, Pictures, Seal>({
    max: 1,
    fetchMethod: (_digest, _stale, { context }) => drawSeal(context),
    // Requests for the previous logo still get its pictures.
    ignoreFetchAbort: true,
  })

  return async (c: Context) => {
    const seal = sealOf(await readSite(db))
    const digest = digestOf(seal)
    // Never cached: if a logo returns to an earlier state, two cached redirects would form an endless loop.
    const now = (picture: SealPicture) => {
      c.header('cache-control', 'no-cache')
      return c.redirect(sealPicture(digest, picture))
    }
    if (c.req.path === '/favicon.ico') return now('icon-32.png')
    const asked = c.req.param('digest') ?? ''
    const picture = sealPictures.find((one) => one === c.req.param('file'))
    if (!picture || !/^[0-9a-f]{16}$/.test(asked)) return c.notFound()
    if (asked !== digest) return now(picture)
    const pictures = await drawn.forceFetch(digest, { context: seal }).catch((error) => {
      log.error({ err: error }, 'seal not drawn')
      return null
    })
    if (!pictures)
      return c.text('ただいま画像を作成できません。1分ほどおいてからお試しください。', 503, {
        'cache-control': 'no-store',
        'retry-after': '60',
      })
    return c.body(Uint8Array.from(pictures[picture]), 200, {
      'content-type': picture.endsWith('.jpg') ? 'image/jpeg' : 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  }
}
