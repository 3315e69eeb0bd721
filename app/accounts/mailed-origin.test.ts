import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { hana } from '../../server/testing-account.ts'
import { client, signInAtProvider, startOpenIdProvider } from '../../tests/e2e/openid-provider.ts'
import { memberFieldNames } from '../members/member.ts'

const ownerEmail = 'owner@example.jp'
const EVIL_ORIGIN = 'http://evil.example:3000'
let provider: Awaited<ReturnType<typeof startOpenIdProvider>>
beforeAll(async () => {
  provider = await startOpenIdProvider()
})
afterAll(() => provider.stop())

/**
 * Sends requests that cause every kind of mail, with this origin in the Host header. Returns the links in the mails.
 */
async function causeMails(site: Awaited<ReturnType<typeof sampleSite>>, origin: string) {
  const browser = browserOf(site, { origin })
  const tokenFor = (path: string) => {
    const texts = site.mails.map(({ text }) => new RegExp(`${path}\\?token=(\\S+)`).exec(text)?.[1] ?? '')
    return texts.findLast((token) => token !== '') ?? ''
  }
  const postAccount = (fields: Record<string, string>) =>
    browser.post('/account', { current: hana.password, ...fields })
  await browser.post('/signupform', hana)
  await browser.post('/emaillogin', hana)
  await browser.post('/verifyemail', { token: tokenFor('/verifyemail') })
  await browser.post('/signupform', hana)
  await browser.post('/emaillogin', hana)
  await postAccount({ intent: 'email', email: 'new@example.jp' })
  await browser.post('/verifyemail', { token: tokenFor('/verifyemail') })
  await postAccount({ intent: 'password', password: 'slice-low-8' })
  site.clock.now += 15 * 60_000
  await browser.post('/resetpassword', { email: 'new@example.jp' })
  const redirect = await browser.get('/login/google')
  const choice = { email: 'new@example.jp', name: '花', verified: true }
  const callbackUrl = await signInAtProvider(redirect.headers.get('location') ?? '', choice)
  await browser.get(callbackUrl.slice(new URL(callbackUrl).origin.length))
  const text = Object.fromEntries(memberFieldNames.map((name) => [name, '話']))
  for (const step of ['1', '2', '3', '4', '5']) {
    await browser.post('/membercreate', { ...text, email: 'new@example.jp', step, intent: 'next' })
  }
  await browser.post('/memberdetailconfirm', { once: 'two' })
  const message = { to: 'shop', subject: 'お尋ね', text: 'こんにちは', from: '' }
  await browser.post('/mail', { ...message, shownAt: String(noon), homepage: '', once: 'one' })
  await browser.send('/api/mail', {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(message),
  })
  return site.mails.flatMap(({ subject, text }) => {
    const [url] = /https?:\/\/[^\s]+/.exec(text) ?? []
    return url ? [[subject.replace(/^【.*】/, ''), new URL(url).origin, new URL(url).pathname] as const] : []
  })
}

const paths = ['/account', '/emaillogin', '/inbox', '/memberlist', '/resetpassword', '/undoaddress', '/verifyemail']

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  describe('links in mails', () => {
    onSqlite.each([
      ['0.0.0.0', 'http://localhost:4000'],
      ['::', 'http://localhost:4000'],
      ['192.168.1.5', 'http://192.168.1.5:4000'],
      ['fd00::5', 'http://[fd00::5]:4000'],
    ])('ignore the Host header when HOST is %s and PUBLIC_ORIGIN is not set', async (host, expected) => {
      const google = { ...client, discoveryUrl: provider.discoveryUrl }
      const site = await sampleSite(await fresh(), { host, port: 4000, google, ownerEmail }, { verifies: true })
      const links = await causeMails(site, EVIL_ORIGIN)
      expect(links.filter(([, origin]) => origin !== expected)).toEqual([])
      expect([...new Set(links.map(([, , path]) => path))].sort()).toEqual(paths)
      for (const { text, html } of site.mails) expect(text + html).not.toContain('evil.example')
    })

    test('begin with PUBLIC_ORIGIN in every mail when PUBLIC_ORIGIN is set', async () => {
      const google = { ...client, discoveryUrl: provider.discoveryUrl }
      const settings = { host: '0.0.0.0', publicOrigin: 'https://example.jp', google, ownerEmail }
      const site = await sampleSite(await fresh(), settings, { verifies: true })
      const links = await causeMails(site, 'https://example.jp')
      expect(new Set(links.map(([, origin]) => origin))).toEqual(new Set(['https://example.jp']))
      expect([...new Set(links.map(([, , path]) => path))].sort()).toEqual(paths)
    })
  })
})
