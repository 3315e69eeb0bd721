import { expect, test } from 'vitest'
import { sampleSite } from './testing.ts'

const paths = ['/municipalarchitect', '/webdesignincludebackend', '/vbacreate', '/socialefficiency', '/tennisrelated']

test.each(paths)('links at least half of the cards on %s to an example that visitors can open', async (path) => {
  const { text, get } = await sampleSite()
  const page = await text(path)
  const cards = page.match(/<article /g) ?? []
  const links = [...page.matchAll(/<a [^>]*href="([^"]+)"[^>]*>具体例を確認する/g)].map(([, href = '']) => href)
  expect(links.length).toBeGreaterThanOrEqual(cards.length / 2)
  for (const href of links) {
    if (href.startsWith('https://')) continue
    expect(href).not.toMatch(/^\/(?:mail|login|emaillogin|signupform|membercreate|firestoreservice)\b/)
    expect((await get(`${href}`)).status, href).toBe(200)
  }
})
