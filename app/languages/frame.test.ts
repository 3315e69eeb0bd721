import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { findUnmarkedJapanese } from '../../server/testing-japanese.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'

const paths = [
  '/en/mail',
  '/en/mail?sent',
  '/en/privacy',
  '/en/accessibility',
  '/en/nothing',
  '/en/videoproduction',
  '/en/municipalarchitect',
  '/en/vbacreate',
  '/en/webdesignincludebackend',
  '/en/tennisrelated',
  '/en/socialefficiency',
]

onEachEngine((fresh) => {
  const createSite = async () => {
    const site = await sampleSite(await fresh())
    const { version } = await readSiteToEdit(site.db)
    const author = { accountId: null, at: new Date(site.clock.now).toISOString() }
    await saveSite(site.db, { version, facts: { otherLanguages: true } }, author)
    const shownAt = String(site.clock.now - 60_000)
    const send = (path: string, fields: Record<string, string>) =>
      site.post('guest', path, { to: 'shop', homepage: '', shownAt, once: '', from: '', ...fields })
    return { ...site, send }
  }

  test('marks all Japanese of the frame, the portfolio, the contact form and the policies', async () => {
    const { text } = await createSite()
    for (const path of paths) expect(findUnmarkedJapanese(await text(path)), path).toEqual([])
  })

  test('has no links to pages for members', async () => {
    const { text } = await createSite()
    for (const path of paths) expect(await text(path), path).not.toMatch(/href="[^"]*\/(?:login|memberlist)"/)
  })

  test('shows the errors of the contact form in English', async () => {
    const { send } = await createSite()
    const html = await (await send('/en/mail', { to: '', subject: '', text: '', from: 'x' })).text()
    expect(findUnmarkedJapanese(html)).toEqual([])
    for (const error of ['Please enter a subject', 'Please enter a message', 'This is not a valid e-mail address'])
      expect(html).toContain(error)
  })

  test('tells the shop the language of an English message', async () => {
    const { send, as, mails, people } = await createSite()
    await people()
    const response = await send('/en/mail', { subject: 'A table', text: 'for two' })
    expect(response.headers.get('location')).toBe('/en/mail?sent')
    expect(JSON.stringify(mails)).toContain('言語：英語')
    expect(await (await as('administrator', '/inbox')).text()).toContain('言語：英語')
  })

  test('has no language for a Japanese message', async () => {
    const { send, as, mails, people } = await createSite()
    await people()
    await send('/mail', { subject: '席', text: '二名' })
    expect(mails).toHaveLength(1)
    expect(JSON.stringify(mails)).not.toContain('言語')
    expect(await (await as('administrator', '/inbox')).text()).not.toContain('言語')
  })
})
