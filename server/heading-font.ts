import { readFile } from 'node:fs/promises'
import { headingCharacters, headingFontUrl, rangeOf } from '../app/ui/heading-characters.ts'

const source = import.meta.resolve('@expo-google-fonts/shippori-mincho/600SemiBold/ShipporiMincho_600SemiBold.ttf')

/** What a document needs so that its headings are set in Shippori Mincho: the rule for its style, the font's address. */
export function headingFont(html: string) {
  const characters = headingCharacters(headingText(html))
  const url = headingFontUrl(characters)
  const rule = `@font-face{font-family:"Shippori Mincho";font-weight:600;font-display:swap;src:url("${url}") format("woff2");unicode-range:${rangeOf(characters)}}`
  return { rule, url }
}

const tag = /<(\/?)([a-z][a-z0-9]*)([^>]*)>|([^<]+)/g
const empty = new Set(['br', 'img', 'input', 'link', 'meta', 'source', 'path', 'hr', 'wbr'])

/** The text of a document's headings, and of whatever else is marked `data-mincho`. */
export function headingText(html: string) {
  const body = html.slice(html.indexOf('<body')).replace(/<(script|style)\b[\s\S]*?<\/\1>/g, '')
  let text = ''
  let depth = 0
  for (const [, closing, name = '', attributes = '', words] of body.matchAll(tag)) {
    if (words) text += depth > 0 ? words : ''
    else if (closing) depth -= depth > 0 ? 1 : 0
    else if (!empty.has(name) && !attributes.endsWith('/') && (depth > 0 || speaks(name, attributes))) depth += 1
  }
  return text.replace(/&[a-z#0-9]+;/gi, '&"\'<>')
}

function speaks(name: string, attributes: string) {
  return /^h[1-3]$/.test(name) || attributes.includes('data-mincho')
}

const KEPT = 300
const kept = new Map<string, Promise<Uint8Array>>()

/** The heading font with just these characters, as WOFF2: made once, then kept while it is among the recently asked. */
export function makeHeadingFont(characters: string[]) {
  const text = characters.join('')
  const made = kept.get(text) ?? make(text)
  kept.delete(text)
  kept.set(text, made)
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break
    kept.delete(oldest)
  }
  return made
}

async function make(text: string) {
  const { default: subsetFont } = await import('subset-font')
  return subsetFont(await readFile(new URL(source)), text, {
    targetFormat: 'woff2',
    keepFeatures: ['palt', 'vert', 'vpal', 'kern'],
    noHinting: true,
  })
}
