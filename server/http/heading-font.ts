import { LRUCache } from 'lru-cache'
import { isExemptFromFontLimit, type Visitor } from '../../app/permissions.ts'
import { countAttempt } from '../../app/platform/attempts.server.ts'
import { headingCharacters, headingFontUrl, rangeOf } from '../../app/ui/heading-characters.ts'
import type { SiteDependencies } from './request-dependencies.ts'

/**
 * Returns the font of a heading text. If the text contains a character reference, the font has all characters that HTML
 * escapes.
 */
export function headingFont(text: string) {
  const plain = text.replace(/&[a-z#0-9]+;/gi, '')
  const characters = headingCharacters(plain === text ? text : `${plain}&"'<>`)
  const url = headingFontUrl(characters)
  const rule = `@font-face{font-family:"Shippori Mincho";font-weight:600;font-display:swap;src:url("${url}") format("woff2");unicode-range:${rangeOf(characters)}}`
  return { rule, url, characters }
}

const MAX_OWN_FONTS = 300
const MAX_OTHER_FONTS = 200
const MAX_WAITING = 10
// A navigation needs about 50 characters, a whole page about 100.
const MAX_CHARACTERS = 300

/** Function that makes a font in WOFF2 format. Rejects on failure. */
export type MakeFont = (text: string, how: { urgent: boolean }) => Promise<Uint8Array>

/**
 * Creates the cache of heading fonts. Fonts that a page of the site links have priority and are always generated. Other
 * fonts are generated only if the queue is short.
 */
export function createHeadingFonts({ db, clock, makeFont }: Pick<SiteDependencies, 'db' | 'clock' | 'makeFont'>) {
  const documentTexts = new LRUCache<string, true>({ max: MAX_OWN_FONTS })
  // Two caches, so that requests for other fonts displace no font of the site's documents.
  const ownFonts = new LRUCache<string, Promise<Uint8Array>>({ max: MAX_OWN_FONTS })
  const otherFonts = new LRUCache<string, Promise<Uint8Array>>({ max: MAX_OTHER_FONTS })
  let waitingCount = 0

  function make(text: string, { urgent }: { urgent: boolean }) {
    const fonts = urgent ? ownFonts : otherFonts
    const font = makeFont(text, { urgent })
    fonts.set(text, font)
    font.catch(() => fonts.delete(text))
    return font
  }

  function cachedOrOwn(text: string) {
    return ownFonts.get(text) ?? otherFonts.get(text) ?? (documentTexts.get(text) && make(text, { urgent: true }))
  }

  return {
    register(characters: string[]) {
      documentTexts.set(characters.join(''), true)
    },

    /** Returns null if the font exceeds `MAX_CHARACTERS` and no page uses the font. Rejects if making fails. */
    async get(characters: string[], address: string | null, visitor: () => Promise<Visitor>) {
      const text = characters.join('')
      const existing = cachedOrOwn(text)
      if (existing) return existing
      if (characters.length > MAX_CHARACTERS) return null
      if (waitingCount >= MAX_WAITING) return 'too many wait' as const
      waitingCount += 1
      try {
        if (!isExemptFromFontLimit(await visitor()) && (await countAttempt(db, 'font', { address, now: clock() })))
          return 'too often' as const
        return await (cachedOrOwn(text) ?? make(text, { urgent: false }))
      } finally {
        waitingCount -= 1
      }
    },
  }
}
