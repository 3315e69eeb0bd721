import type { Context } from 'hono'
import { decodeCharacters } from '../../app/ui/heading-characters.ts'
import type { createHeadingFonts } from './heading-font.ts'
import type { Env, HandlerDependencies } from './request-dependencies.ts'

const sentences = {
  'too often': '見出しの文字の取得が続いています。1分ほどおいてからお試しください。',
  'too many wait': '見出しの文字の作成が混み合っています。1分ほどおいてからお試しください。',
  failed: '見出しの文字をただいま作成できません。1分ほどおいてからお試しください。',
}

export function handleFonts({ log, visitorOf }: HandlerDependencies, fonts: ReturnType<typeof createHeadingFonts>) {
  return async (c: Context<Env>) => {
    const characters = decodeCharacters(c.req.query('steps') ?? '')
    if (!characters) return c.notFound()
    const { auth } = c.var
    const visitor = () => visitorOf(c.req.raw, auth)
    const font = await fonts.get(characters, auth.address, visitor).catch((error) => {
      log.error({ err: error }, 'heading font not made')
      return 'failed' as const
    })
    if (!font) return c.notFound()
    if (typeof font === 'string') {
      const headers = { 'cache-control': 'no-store', 'retry-after': '60' }
      return c.text(sentences[font], font === 'too often' ? 429 : 503, headers)
    }
    return c.body(Uint8Array.from(font), 200, {
      'content-type': 'font/woff2',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  }
}
