import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, sampleSite } from '../../server/testing.ts'
import { hana, linkIn, provenOf, signedInOn, tokenIn } from '../../server/testing-account.ts'
import { accountIds, hired, openedShop, owner, tsugu } from '../../server/testing-shop.ts'

onEachEngine((fresh) => {
  test('with mail a mistyped address is a stranger’s: neither its mail nor a reset gives them the shop', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const by = await openedShop(site)
    const browser = await hired(site, by, 'administration')
    const link = linkIn(site.mails.findLast(({ to }) => to === tsugu.email))
    const token = tokenIn(link)
    const stranger = browserOf(site)
    expect(await stranger.text(link)).toContain('現在のパスワード')
    for (const current of ['', 'guess-high-9']) {
      const answer = await stranger.post('/verifyemail', { token, current })
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining('現在のパスワードが正しくありません'),
      ])
    }
    expect((await (await signedInOn(site, hana)).post('/verifyemail', { token })).status).toBe(400)
    site.mails.length = 0
    const asked = await stranger.post('/resetpassword', { email: tsugu.email })
    const other = await stranger.post('/resetpassword', { email: 'nobody@example.jp' })
    const said = async (response: Response, email: string) => [
      response.status,
      (await response.text()).replaceAll(email, ''),
    ]
    expect(await said(asked, tsugu.email)).toEqual(await said(other, 'nobody@example.jp'))
    expect(site.mails).toEqual([])
    expect(await provenOf(site.db)).toEqual([hana.email])

    // The person proves it with the password elsewhere, or on the device that is signed in.
    expect(await browser.text(link)).not.toContain('現在のパスワード')
    const elsewhere = await browserOf(site).post('/verifyemail', { token, current: tsugu.password })
    expect(elsewhere.status).toBe(200)
    expect(await provenOf(site.db)).toContain(tsugu.email)
    await stranger.post('/resetpassword', { email: tsugu.email })
    expect(linkIn(site.mails.at(-1))).toContain('/resetpassword')
  })

  test('passwords are not guessed on the link of a mail either', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await hired(site, await openedShop(site), 'editing')
    const token = tokenIn(linkIn(site.mails.at(-1)))
    const tries: number[] = []
    for (let time = 0; time < 11; time++) {
      const guess = { token, current: `guess-${time}` }
      tries.push((await browserOf(site, { address: `198.51.100.${time}` }).post('/verifyemail', guess)).status)
    }
    expect(tries).toEqual([...Array(10).fill(400), 429])
  })

  test('a new address of somebody of the shop is proven by themselves as well', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const browser = await openedShop(site)
    await browser.post('/account', { intent: 'email', email: 'mistyped@example.jp', current: owner.password })
    const token = tokenIn(linkIn(site.mails.findLast(({ to }) => to === 'mistyped@example.jp')))
    expect((await browserOf(site).post('/verifyemail', { token })).status).toBe(400)
    expect(Object.keys(await accountIds(site.db))).toEqual([owner.email])
    expect((await browser.post('/verifyemail', { token })).status).toBe(200)
    expect(Object.keys(await accountIds(site.db))).toEqual(['mistyped@example.jp'])
  })
})
