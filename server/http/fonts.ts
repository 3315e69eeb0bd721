import type { Context } from 'hono'
import { decodeCharacters } from '../../app/ui/heading-characters.ts'
import type { createHeadingFonts } from './heading-font.ts'
import type { Env, RequestDependencies, SiteDependencies } from './request-dependencies.ts'

const refusals = {
  'too often': '見出しの文字の取得が続いています。1分ほどおいてからお試しください。',
  'too many wait': '見出しの文字の作成が混み合っています。1分ほどおいてからお試しください。',
  failed: '見出しの文字をただいま作成できません。1分ほどおいてからお試しください。',
}

export function handleFonts(
  fonts: ReturnType<typeof createHeadingFonts>,
  { log }: SiteDependencies,
  asking: RequestDependencies,
) {
  return async (c: Context<Env>) => {
    const characters = decodeCharacters(c.req.query('steps') ?? '')
    if (!characters) return c.notFound()
    const { auth } = c.var
    const visitor = () => asking.visitorOf(c.req.raw, auth)
    const font = await fonts.get(characters, { address: auth.address, visitor }).catch((error) => {
      log.error({ err: error }, 'heading font not made')
      return 'failed' as const
    })
    if (!font) return c.notFound()
    if (typeof font === 'string') {
      const later = { 'cache-control': 'no-store', 'retry-after': '60' }
      return c.text(refusals[font], font === 'too often' ? 429 : 503, later)
    }
    return c.body(Uint8Array.from(font), 200, {
      'content-type': 'font/woff2',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  }
}
