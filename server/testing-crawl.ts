import { createHash } from 'node:crypto'
import type { sampleSite } from './testing.ts'
import { decodeHtml } from './testing-forms.ts'
import type { Person } from './tools/demo.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

/** Response of a crawled URL. `from` is a page with a link to the URL. `text` is the output of `readableText`. */
export type CrawledPage = { url: string; from: string; status: number; html: string; text: string; digest: string }

// Scripts and fonts contain no text of the site.
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/
const IGNORED_PATHS = /^\/(?:app\/|node_modules\/|@|assets\/|fonts\/)/

/**
 * Requests every URL that a person can reach from the URLs `starts`: links, images, icons, feeds and, unless `withData`
 * is false, the data of pages. Follows at most `maxQueries` URLs per path that differ only in the query, because the
 * calendar has endless URLs. Follows at most `maxIds` links of one page that differ only in the ID of a record.
 */
export async function crawl(
  { as }: Pick<Site, 'as'>,
  person: Person,
  starts: string[],
  { maxQueries = 9, maxIds = Number.POSITIVE_INFINITY, withData = true } = {},
) {
  const from = new Map(starts.map((url) => [url, '']))
  const queryCounts = new Map<string, number>()
  const pages: CrawledPage[] = []
  for (const url of from.keys()) {
    const response = await as(person, url)
    const type = response.headers.get('content-type') ?? ''
    const bytes = Buffer.from(await response.arrayBuffer())
    const isText = /text|json|xml|javascript|x-script/.test(type)
    const html = type.includes('text/html') ? bytes.toString() : ''
    // A hash may contain one of the searched texts by chance.
    for (const name of ['etag', 'content-security-policy']) response.headers.delete(name)
    let text = isText ? null : ''
    pages.push({
      url,
      from: '',
      status: response.status,
      html,
      // Conversion takes as long as a request, and some tests read only the HTML.
      get text() {
        text ??= readableText(`${[...response.headers.values()].join('\n')}\n${bytes}`)
        return text
      },
      digest: sha256(bytes),
    })
    const found = isText ? urlsIn(bytes.toString()) : []
    if (withData && html && response.ok && !url.includes('?')) found.push(`${url === '/' ? '/_' : url}.data`)
    const idCounts = new Map<string, number>()
    for (const link of [...found, response.headers.get('location') ?? '']) {
      const { origin, pathname, search } = new URL(link, `http://localhost${url}`)
      if (origin !== 'http://localhost' || IGNORED_PATHS.test(pathname)) continue
      const target = pathname + search
      const isNew = !from.has(target)
      // A start URL counts as linked if another page contains its link.
      if (!isNew && (from.get(target) || target === url || !response.ok)) continue
      const count = (queryCounts.get(pathname) ?? 0) + (search ? 1 : 0)
      queryCounts.set(pathname, count)
      const pattern = target.replace(UUID, ':id')
      const idCount = isNew && pattern !== target ? (idCounts.get(pattern) ?? 0) + 1 : 0
      idCounts.set(pattern, idCount)
      if (!isNew || (count <= maxQueries && idCount <= maxIds)) from.set(target, url)
    }
  }
  for (const page of pages) page.from = from.get(page.url) ?? ''
  return pages
}

/** Returns the text of a response without escapes, folded lines and tags that split words. */
export function readableText(response: string) {
  const plain = decodeHtml(response)
    .replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString())
    .replace(/\r\n[ \t]/g, '')
  return `${plain}\n${plain.replace(/<\/?(?:span|wbr|br)\b[^>]*>|<!-- -->/g, '')}`
}

/** Returns the SHA-256 hash in hexadecimal. */
export function sha256(bytes: Uint8Array) {
  return createHash('sha256').update(bytes).digest('hex')
}

function urlsIn(text: string) {
  const plain = decodeHtml(text)
  const attributes = [...plain.matchAll(/ (?:href|src|content|poster|action)="([^"\s]+)"/g)]
  const strings = [...plain.matchAll(/"(\/[\w.%/?=&-]*)\\?"/g)]
  const whole = [...plain.matchAll(/(http:\/\/localhost[^\s"'<>\\)]*)/g)]
  const sourceSets = [...plain.matchAll(/ srcset="([^"]+)"/gi)].flatMap(([, set = '']) =>
    set.split(',').map((link) => ['', link.trim().split(' ')[0]]),
  )
  return [...attributes, ...strings, ...whole, ...sourceSets]
    .map(([, url = '']) => url)
    .filter((url) => /^(?:\/[^/]|\/$|\?|http:\/\/localhost)/.test(url))
    .map((url) => url.replace(/#.*/, ''))
}

/** Returns the h1 and h2 headings that have no text, image or field below them. */
export function emptyHeadings(html: string) {
  const main = /<main\b.*<\/main>/s.exec(html)?.[0] ?? ''
  const withoutEnglish = main.replace(/<p[^>]*lang="en"[^>]*>.*?<\/p>|<!--.*?-->/gs, '')
  return [...withoutEnglish.matchAll(/<h([12])\b[^>]*>(.*?)<\/h\1>/gs)]
    .filter((heading) => {
      const after = withoutEnglish.slice(heading.index + heading[0].length)
      const own = heading[1] === '1' ? after : (after.split(/<h[12]\b|<\/section>/)[0] ?? '')
      return !/<(?:img|input|video)\b/.test(own) && own.replace(/<[^>]*>/g, '').trim() === ''
    })
    .map(([, , text = '']) => text)
}
