import { match } from '@formatjs/intl-localematcher'
import type { Context, Next } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import { japanese, pathIn } from '../../app/languages/language.ts'
import { languages } from '../../app/languages/languages.server.ts'
import { listPages } from '../../app/pages/pages.server.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { Db } from '../../db/tables.ts'

const MENU_PATH = '/dining'
const MAX_TAGS = 10
const codes = [japanese, ...languages].map(({ code }) => code)

/**
 * Redirects to the menu in the language of the browser, or in Japanese without other languages, because printed cards
 * outlive the switch. Without a menu, the path is unknown.
 */
export function handleMenuCode(db: Db) {
  return async (c: Context, next: Next) => {
    const { otherLanguages } = await readSite(db)
    const isShown = (await listPages(db)).some(({ path, shown }) => path === MENU_PATH && shown)
    if (!isShown) return next()
    c.header('vary', 'Accept-Language')
    c.header('cache-control', 'no-store')
    const code = otherLanguages ? negotiate(c.req.header('accept-language') ?? '') : japanese.code
    return c.redirect(pathIn(code, MENU_PATH))
  }
}

function negotiate(header: string) {
  const accepted = parseAccept(header).filter(({ type, q }) => q > 0 && isLanguageTag(type))
  const tags = accepted.map(({ type }) => type).slice(0, MAX_TAGS)
  return match(tags, codes, japanese.code)
}

function isLanguageTag(tag: string) {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}
