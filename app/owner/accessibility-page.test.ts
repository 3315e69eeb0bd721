import { expect, test } from 'vitest'
import { oldestBrowsers } from '../../scripts/oldest-browsers.ts'
import { sampleSite } from '../../server/testing.ts'
import { readPageToEdit, savePage } from '../pages/pages.server.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

async function hidePage({ db, clock }: Site, id: 'accessibility' | 'mail') {
  const { version = 0 } = (await readPageToEdit(db, id)) ?? {}
  const author = { accountId: null, at: new Date(clock.now).toISOString() }
  await savePage(db, id, { version, facts: { shown: false } }, author)
}

const mainOf = (html: string) => html.slice(html.indexOf('<main'), html.indexOf('</main>'))

test('is linked from the privacy page alone, and listed in the sitemap', async () => {
  const { text } = await sampleSite()
  expect(mainOf(await text('/privacy'))).toContain('<a href="/accessibility"')
  for (const path of ['/', '/infomation', '/accessibility']) expect(await text(path)).not.toContain('"/accessibility"')
  expect(await text('/sitemap.xml')).toContain('<loc>http://localhost/accessibility</loc>')
})

test('is missing, with the link to it, when the owner hides the page', async () => {
  const site = await sampleSite()
  await hidePage(site, 'accessibility')
  expect((await site.get('/accessibility')).status).toBe(404)
  expect(await site.text('/privacy')).not.toContain('/accessibility')
  expect(await site.text('/sitemap.xml')).not.toContain('/accessibility')
})

test('names the oldest supported browsers', async () => {
  const { text } = await sampleSite()
  const { chrome, edge, firefox, safari, ios } = oldestBrowsers
  expect([edge, ios]).toEqual([chrome, safari])
  expect(await text('/accessibility')).toContain(
    `ChromeとEdgeの${chrome}以降、Firefoxの${firefox}以降、Safariの${safari}以降（iPhoneとiPadも）`,
  )
})

test('offers the telephone and the contact form of the shop, but no form that the owner hides', async () => {
  const site = await sampleSite()
  const before = mainOf(await site.text('/accessibility'))
  expect(before).toContain('href="tel:')
  expect(before).toContain('href="/mail"')
  await hidePage(site, 'mail')
  const after = mainOf(await site.text('/accessibility'))
  expect(after).toContain('href="tel:')
  expect(after).not.toContain('href="/mail"')
})
