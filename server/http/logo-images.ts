import type { Context } from 'hono'
import { LRUCache } from 'lru-cache'
import { digestOf, type Logo, logoOf } from '../../app/settings/logo.server.ts'
import { type LogoImage, logoImages, logoImageUrl } from '../../app/settings/logo-image.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { HandlerDependencies } from './request-dependencies.ts'

type DrawnLogo = Record<LogoImage, Uint8Array>

export type DrawLogo = (logo: Logo) => Promise<DrawnLogo>

/**
 * Returns the handler of the logo images, which draws at the first request. URLs of earlier logos and favicon.ico
 * redirect to the current logo.
 */
export function handleLogo({ db, log, drawLogo }: HandlerDependencies) {
  const cache = new LRUCache<string, DrawnLogo, Logo>({
    max: 1,
    fetchMethod: (_digest, _stale, { context }) => drawLogo(context),
    // Pending requests for the previous logo still receive its images.
    ignoreFetchAbort: true,
  })

  return async (c: Context) => {
    const logo = logoOf(await readSite(db))
    const digest = digestOf(logo)
    // This redirect is never cached. If a logo returns to an earlier state, two cached redirects would form an endless
    // loop.
    const redirectToCurrent = (image: LogoImage) => {
      c.header('cache-control', 'no-cache')
      return c.redirect(logoImageUrl(digest, image))
    }
    if (c.req.path === '/favicon.ico') return redirectToCurrent('icon-32.png')
    const requestedDigest = c.req.param('digest') ?? ''
    const image = logoImages.find((one) => one === c.req.param('file'))
    if (!image || !/^[0-9a-f]{16}$/.test(requestedDigest)) return c.notFound()
    if (requestedDigest !== digest) return redirectToCurrent(image)
    const images = await cache.forceFetch(digest, { context: logo }).catch((error) => {
      log.error({ err: error }, 'logo not drawn')
      return null
    })
    if (!images)
      return c.text('ただいま画像を作成できません。1分ほどおいてからお試しください。', 503, {
        'cache-control': 'no-store',
        'retry-after': '60',
      })
    return c.body(Uint8Array.from(images[image]), 200, {
      'content-type': image.endsWith('.jpg') ? 'image/jpeg' : 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  }
}
