import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { decodeHtml, readForms } from '../../server/testing-forms.ts'
import { findUnmarkedJapanese } from '../../server/testing-japanese.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'

const MAX_PAGES = 60
// The link to the Japanese page, and the character in the seal of the shop.
const JAPANESE_NAMES = ['日本語', '結']

onEachEngine((fresh) => {
  const createSite = async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    const { version } = await readSiteToEdit(site.db)
    const author = { accountId: null, at: new Date(site.clock.now).toISOString() }
    await saveSite(site.db, { version, facts: { otherLanguages: true } }, author)
    return site
  }
  type Site = Awaited<ReturnType<typeof createSite>>

  async function translateEverything({ as, post }: Site) {
    const overview = await (await as('administrator', '/translations')).text()
    const groups = [...new Set(overview.match(/\/translations\/en\/[\w-]+/g))]
    for (const path of groups) {
      const html = await (await as('administrator', path)).text()
      const form = readForms(html).find(({ action }) => action === path)
      const isText = (name: string) => name.includes('.')
      const fields = form?.fields.map(([name, value], index) => [name, isText(name) ? `English ${index}` : value])
      const response = await post('administrator', path, Object.fromEntries(fields ?? []))
      expect(response.status, path).toBe(200)
    }
    return groups
  }

  async function crawlEnglish({ get }: Site) {
    const paths = new Set(['/en'])
    const pages = new Map<string, string>()
    for (const path of paths) {
      if (pages.size === MAX_PAGES) break
      const response = await get(path)
      expect(response.status, path).toBeLessThan(400)
      if (!response.headers.get('content-type')?.startsWith('text/html')) continue
      const html = await response.text()
      pages.set(path, html)
      for (const [, href = ''] of html.matchAll(/href="(\/en(?:\/[^"#]*|\?[^"#]*)?)/g))
        if (!/calendar\?/.test(href)) paths.add(decodeHtml(href))
    }
    return pages
  }

  test('every English page works and marks what is still Japanese while nothing is translated', async () => {
    const pages = await crawlEnglish(await createSite())
    expect(pages.size).toBeGreaterThan(10)
    for (const [path, html] of pages) expect(findUnmarkedJapanese(html), path).toEqual([])
  })

  test('no English page contains Japanese if all texts are translated', async () => {
    const site = await createSite()
    expect((await translateEverything(site)).length).toBeGreaterThan(8)
    const pages = await crawlEnglish(site)
    expect(pages.size).toBeGreaterThan(10)
    for (const [path, html] of pages) {
      const english = JAPANESE_NAMES.reduce((text, name) => text.replaceAll(`>${name}<`, '><'), html)
      expect(findUnmarkedJapanese(english.replaceAll('lang="ja"', '')), path).toEqual([])
    }
  })
})
