import { createHash } from 'node:crypto'
import type { sampleSite } from './testing.ts'
import { decoded } from './testing-forms.ts'
import type { Person } from './tools/demo.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

/** The response of a crawled URL. `from` is a page with a link to the URL; `text` is the output of `readable`. */
export type Seen = { address: string; from: string; status: number; html: string; text: string; digest: string }

/** The maximum number of followed URLs per path that differ only in the query: a calendar is endless. */
const queries = 9
// Scripts and fonts contain no text of the site.
const withoutWords = /^\/(?:app\/|node_modules\/|@|assets\/|fonts\/)/

/** Requests every URL that a person can reach from `starts`: links, images, icons, feeds and data of pages. */
export async function crawl({ as }: Pick<Site, 'as'>, person: Person, starts: string[]) {
  const from = new Map(starts.map((address) => [address, '']))
  const variants = new Map<string, number>()
  const seen: Seen[] = []
  for (const address of from.keys()) {
    const response = await as(person, address)
    const type = response.headers.get('content-type') ?? ''
    const bytes = Buffer.from(await response.arrayBuffer())
    const isText = /text|json|xml|javascript|x-script/.test(type)
    const html = type.includes('text/html') ? bytes.toString() : ''
    // A hash may contain any three letters by chance.
    for (const name of ['etag', 'content-security-policy']) response.headers.delete(name)
    const text = isText ? readable(`${[...response.headers.values()].join('\n')}\n${bytes}`) : ''
    seen.push({ address, from: '', status: response.status, html, text, digest: digestOf(bytes) })
    const found = isText ? addressesIn(bytes.toString()) : []
    if (html && response.ok && !address.includes('?')) found.push(`${address === '/' ? '/_' : address}.data`)
    for (const each of [...found, response.headers.get('location') ?? '']) {
      const { origin, pathname, search } = new URL(each, `http://localhost${address}`)
      if (origin !== 'http://localhost' || withoutWords.test(pathname)) continue
      const target = pathname + search
      const isNew = !from.has(target)
      // A start counts as a link if another page contains it.
      if (!isNew && (from.get(target) || target === address || !response.ok)) continue
      const count = (variants.get(pathname) ?? 0) + (search ? 1 : 0)
      variants.set(pathname, count)
      if (!isNew || count <= queries) from.set(target, address)
    }
  }
  return seen.map((each) => ({ ...each, from: from.get(each.address) ?? '' }))
}

/** Returns the text of a response without escapes, folded lines and tags that split words. */
export function readable(answer: string) {
  const plain = decoded(answer)
    .replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString())
    .replace(/\r\n[ \t]/g, '')
  return `${plain}\n${plain.replace(/<\/?(?:span|wbr|br)\b[^>]*>|<!-- -->/g, '')}`
}

/** Returns the SHA-256 hash in hexadecimal. */
export function digestOf(bytes: Uint8Array) {
  return createHash('sha256').update(bytes).digest('hex')
}

function addressesIn(text: string) {
  const plain = decoded(text)
  const attributes = [...plain.matchAll(/ (?:href|src|content|poster|action)="([^"\s]+)"/g)]
  const strings = [...plain.matchAll(/"(\/[\w.%/?=&-]*)\\?"/g)]
  const whole = [...plain.matchAll(/(http:\/\/localhost[^\s"'<>\\)]*)/g)]
  const sets = [...plain.matchAll(/ srcset="([^"]+)"/gi)].flatMap(([, set = '']) =>
    set.split(',').map((each) => ['', each.trim().split(' ')[0]]),
  )
  return [...attributes, ...strings, ...whole, ...sets]
    .map(([, address = '']) => address)
    .filter((address) => /^(?:\/[^/]|\/$|\?|http:\/\/localhost)/.test(address))
    .map((address) => address.replace(/#.*/, ''))
}

/** Returns the h1 and h2 headings without any text, image or field below them. */
export function bareHeadings(html: string) {
  const main = /<main\b.*<\/main>/s.exec(html)?.[0] ?? ''
  const spoken = main.replace(/<p[^>]*lang="en"[^>]*>.*?<\/p>|<!--.*?-->/gs, '')
  return [...spoken.matchAll(/<h([12])\b[^>]*>(.*?)<\/h\1>/gs)]
    .filter((heading) => {
      const after = spoken.slice(heading.index + heading[0].length)
      const own = heading[1] === '1' ? after : (after.split(/<h[12]\b|<\/section>/)[0] ?? '')
      return !/<(?:img|input|video)\b/.test(own) && own.replace(/<[^>]*>/g, '').trim() === ''
    })
    .map(([, , text = '']) => text)
}
