import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { getsEveryFont, type Visitor } from '../../app/permissions.ts'
import { countAttempt } from '../../app/platform/attempts.server.ts'
import { headingCharacters, headingFontUrl, rangeOf } from '../../app/ui/heading-characters.ts'
import type { Tables } from '../../db/tables.ts'

/** Returns the font of the headings in an HTML text. Any character reference adds all characters that HTML escapes. */
export function headingFont(text: string) {
  const plain = text.replace(/&[a-z#0-9]+;/gi, '')
  const characters = headingCharacters(plain === text ? text : `${plain}&"'<>`)
  const url = headingFontUrl(characters)
  const rule = `@font-face{font-family:"Shippori Mincho";font-weight:600;font-display:swap;src:url("${url}") format("woff2");unicode-range:${rangeOf(characters)}}`
  return { rule, url, characters }
}

const MAX_OWN = 300
const MAX_OTHERS = 200
const MAX_WAITING = 10
// A navigation needs about 50 characters, a whole page about 100.
const MAX_CHARACTERS = 300

/** Makes the heading font of a text as WOFF2, urgent ones first. Rejects on failure. */
export type MakeFont = (text: string, how: { urgent: boolean }) => Promise<Uint8Array>

type World = { db: Kysely<Tables>; clock: () => number; makeFont: MakeFont }
type Made = Promise<Uint8Array>
type Asking = { address: string | null; visitor: () => Promise<Visitor> }

/** Caches heading fonts. Fonts of the site's documents are made first and always, others only if few wait. */
export function createHeadingFonts({ db, clock, makeFont }: World) {
  const named = new LRUCache<string, true>({ max: MAX_OWN })
  // Two caches, so that requests for other fonts displace none of the site's own.
  const own = new LRUCache<string, Made>({ max: MAX_OWN })
  const others = new LRUCache<string, Made>({ max: MAX_OTHERS })
  let waiting = 0

  function make(text: string, { urgent }: { urgent: boolean }) {
    const fonts = urgent ? own : others
    const font = makeFont(text, { urgent })
    fonts.set(text, font)
    font.catch(() => fonts.delete(text))
    return font
  }

  function cached(text: string) {
    return own.get(text) ?? others.get(text) ?? (named.get(text) && make(text, { urgent: true }))
  }

  return {
    /** Registers the characters of a document of the site. */
    name(characters: string[]) {
      named.set(characters.join(''), true)
    },

    /** Returns null if no page of the site needs so many characters. Rejects if the font cannot be made. */
    async get(characters: string[], { address, visitor }: Asking) {
      const text = characters.join('')
      const known = cached(text)
      if (known) return known
      if (characters.length > MAX_CHARACTERS) return null
      if (waiting >= MAX_WAITING) return 'too many wait' as const
      waiting += 1
      try {
        if (!getsEveryFont(await visitor()) && (await countAttempt(db, 'font', { address, now: clock() })))
          return 'too often' as const
        return await (cached(text) ?? make(text, { urgent: false }))
      } finally {
        waiting -= 1
      }
    },
  }
}
