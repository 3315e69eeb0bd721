import type { Kysely } from 'kysely'
import { getsEveryFont, type Visitor } from '../../app/permissions.ts'
import { countAttempt } from '../../app/platform/attempts.server.ts'
import { headingCharacters, headingFontUrl, rangeOf } from '../../app/ui/heading-characters.ts'
import type { Tables } from '../../db/tables.ts'

/** `text` is HTML; if it has character references, the characters that HTML escapes count too. */
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

/** Returns the heading font of a text as WOFF2, urgent requests first. Rejects on failure. */
export type MakeFont = (text: string, how: { urgent: boolean }) => Promise<Uint8Array>

type World = { db: Kysely<Tables>; clock: () => number; makeFont: MakeFont }
type Made = Promise<Uint8Array>
type Asking = { address: string | null; visitor: () => Promise<Visitor> }

/** LRU cache. Fonts that the site's documents name are always made, and first; other fonts if few wait. */
export function createHeadingFonts({ db, clock, makeFont }: World) {
  // Null while a font is named by a document, but not yet requested.
  const own = new Map<string, Made | null>()
  const others = new Map<string, Made>()
  let waiting = 0

  function keep<T extends Made | null>(fonts: Map<string, T>, text: string, font: T, most: number) {
    fonts.delete(text)
    fonts.set(text, font)
    for (const oldest of fonts.keys()) if (fonts.size > most) fonts.delete(oldest)
    return font
  }

  function make(text: string, urgent: boolean) {
    const font = makeFont(text, { urgent })
    font.catch(() => {
      if (own.get(text) === font) own.set(text, null)
      if (others.get(text) === font) others.delete(text)
    })
    return font
  }

  function kept(text: string) {
    if (own.has(text)) return keep(own, text, own.get(text) ?? make(text, true), MAX_OWN)
    const font = others.get(text)
    return font && keep(others, text, font, MAX_OTHERS)
  }

  return {
    /** Registers the characters of a document of the site. */
    name(characters: string[]) {
      const text = characters.join('')
      const font = own.get(text) ?? others.get(text) ?? null
      others.delete(text)
      keep(own, text, font, MAX_OWN)
    },

    /** Returns null if no page of the site needs so many characters. Rejects if the font cannot be made. */
    async get(characters: string[], { address, visitor }: Asking) {
      const text = characters.join('')
      const known = kept(text)
      if (known) return known
      if (characters.length > MAX_CHARACTERS) return null
      if (waiting >= MAX_WAITING) return 'too many wait' as const
      waiting += 1
      try {
        if (!getsEveryFont(await visitor()) && (await countAttempt(db, 'font', { address, now: clock() })))
          return 'too often' as const
        return await (kept(text) ?? keep(others, text, make(text, false), MAX_OTHERS))
      } finally {
        waiting -= 1
      }
    },
  }
}
