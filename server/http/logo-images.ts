import type { Context } from 'hono'
import { LRUCache } from 'lru-cache'
import { digestOf, type Logo, logoOf } from '../../app/settings/logo.server.ts'
import { type LogoImage, logoImages, logoImageUrl } from '../../app/settings/logo-image.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { SiteDependencies } from './request-dependencies.ts'

type Pictures = Record<LogoImage, Uint8Array>

export type DrawLogo = (seal: Logo) => Promise<Pictures>

/** Serves the current logo, drawn at the first request. URLs of earlier logos and favicon.ico redirect to it. */
export function handleLogo({ db, log, drawLogo }: SiteDependencies) {
  const drawn = new LRUCache<string, Pictures, Logo>({
    max: 1,
    fetchMethod: (_digest, _stale, { context }) => drawLogo(context),
    // Requests for the previous logo still get its pictures.
    ignoreFetchAbort: true,
  })

  return async (c: Context) => {
    const seal = logoOf(await readSite(db))
    const digest = digestOf(seal)
    // Never cached: if a logo returns to an earlier state, two cached redirects would form an endless loop.
    const now = (picture: LogoImage) => {
      c.header('cache-control', 'no-cache')
      return c.redirect(logoImageUrl(digest, picture))
    }
    if (c.req.path === '/favicon.ico') return now('icon-32.png')
    const asked = c.req.param('digest') ?? ''
    const picture = logoImages.find((one) => one === c.req.param('file'))
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
