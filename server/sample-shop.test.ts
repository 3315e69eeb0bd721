import { expect, test } from 'vitest'
import { freshSqlite } from '../db/testing.ts'
import { sampleSite } from './testing.ts'

const paths = ['/municipalarchitect', '/webdesignincludebackend', '/vbacreate', '/socialefficiency', '/tennisrelated']

test.each(paths)('half of the cards on %s, or more, lead to an example that a visitor can look at', async (path) => {
  const { app } = await sampleSite(await freshSqlite())
  const page = await (await app.request(`http://localhost${path}`)).text()
  const cards = page.match(/<article /g) ?? []
  const links = [...page.matchAll(/<a [^>]*href="([^"]+)"[^>]*>具体例を確認する/g)].map(([, href = '']) => href)
  expect(links.length).toBeGreaterThanOrEqual(cards.length / 2)
  for (const href of links) {
    if (href.startsWith('https://')) continue
    expect(href).not.toMatch(/^\/(?:mail|login|emaillogin|signupform|membercreate|firestoreservice)\b/)
    expect((await app.request(`http://localhost${href}`)).status, href).toBe(200)
  }
})
