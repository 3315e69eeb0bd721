import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, sampleSite } from '../../server/testing.ts'
import { findLink, findToken, hana, readVerifiedEmails, signInBrowser } from '../../server/testing-account.ts'
import { accountIds, hireByInvitation, openShop, owner, tsugu } from '../../server/testing-shop.ts'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  onSqlite('gives no access to a stranger who receives the e-mails of a mistyped address', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const adminBrowser = await openShop(site)
    const browser = await hireByInvitation(site, adminBrowser, 'administration')
    const link = findLink(site.mails.findLast(({ to }) => to === tsugu.email))
    const token = findToken(link)
    const stranger = browserOf(site)
    expect(await stranger.text(link)).toContain('現在のパスワード')
    for (const current of ['', 'guess-high-9']) {
      const response = await stranger.post('/verifyemail', { token, current })
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining('現在のパスワードが正しくありません'),
      ])
    }
    expect((await (await signInBrowser(site, hana)).post('/verifyemail', { token })).status).toBe(400)
    site.mails.length = 0
    const knownEmailResponse = await stranger.post('/resetpassword', { email: tsugu.email })
    const unknownEmailResponse = await stranger.post('/resetpassword', { email: 'nobody@example.jp' })
    const readResponse = async (response: Response, email: string) => [
      response.status,
      (await response.text()).replaceAll(email, ''),
    ]
    expect(await readResponse(knownEmailResponse, tsugu.email)).toEqual(
      await readResponse(unknownEmailResponse, 'nobody@example.jp'),
    )
    expect(site.mails).toEqual([])
    expect(await readVerifiedEmails(site.db)).toEqual([hana.email])

    // Verification requires the password in a new browser, but not in a browser in which the account owner is signed
    // in.
    expect(await browser.text(link)).not.toContain('現在のパスワード')
    const otherBrowserResponse = await browserOf(site).post('/verifyemail', { token, current: tsugu.password })
    expect(otherBrowserResponse.status).toBe(200)
    expect(await readVerifiedEmails(site.db)).toContain(tsugu.email)
    await stranger.post('/resetpassword', { email: tsugu.email })
    expect(findLink(site.mails.at(-1))).toContain('/resetpassword')
  })

  onSqlite('limits password attempts on the verification link', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await hireByInvitation(site, await openShop(site), 'editing')
    const token = findToken(findLink(site.mails.at(-1)))
    const statuses: number[] = []
    for (let attempt = 0; attempt < 11; attempt++) {
      const guess = { token, current: `guess-${attempt}` }
      statuses.push((await browserOf(site, { address: `198.51.100.${attempt}` }).post('/verifyemail', guess)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429])
  })

  test('verifies a new e-mail address of staff only in a browser in which they are signed in', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const browser = await openShop(site)
    await browser.post('/account', { intent: 'email', email: 'mistyped@example.jp', current: owner.password })
    const token = findToken(findLink(site.mails.findLast(({ to }) => to === 'mistyped@example.jp')))
    expect((await browserOf(site).post('/verifyemail', { token })).status).toBe(400)
    expect(Object.keys(await accountIds(site.db))).toEqual([owner.email])
    expect((await browser.post('/verifyemail', { token })).status).toBe(200)
    expect(Object.keys(await accountIds(site.db))).toEqual(['mistyped@example.jp'])
  })
})
