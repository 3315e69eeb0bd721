import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'
import {
  addPasskey,
  type Browser,
  createAuthenticator,
  expectRefused,
  isSignedIn,
  MINUTE_MS,
  requestChallenge,
  requestCreation,
  type Site,
  sendResponse,
  siteWithHana,
} from './testing-authenticator.ts'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  describe('the sign-in with a passkey', () => {
    type Attack = (parts: {
      site: Site
      other: Browser
      authenticator: ReturnType<typeof createAuthenticator>
    }) => Promise<object>

    test.each<[name: string, attack: Attack]>([
      [
        'a forged signature',
        async ({ other, authenticator }) => {
          const challenge = await requestChallenge(other)
          const { response } = createAuthenticator().sign(challenge, { counter: 9 })
          const own = authenticator.sign(challenge, { counter: 9 })
          return { ...own, response: { ...own.response, signature: response.signature } }
        },
      ],
      [
        'the passkey of another account',
        async ({ site, other, authenticator }) => {
          const stranger = await addPasskey(await signInBrowser(site, { ...hana, email: 'stranger@example.jp' }))
          const own = authenticator.sign(await requestChallenge(other))
          return { ...own, id: stranger.id, rawId: stranger.id }
        },
      ],
      [
        'the user handle of another account',
        async ({ site, other, authenticator }) => {
          await signInBrowser(site, { ...hana, email: 'stranger@example.jp' })
          const accounts = site.db.selectFrom('accounts').select('id').where('email', '=', 'stranger@example.jp')
          const { id } = await accounts.executeTakeFirstOrThrow()
          return authenticator.sign(await requestChallenge(other), { handle: Buffer.from(id).toString('base64url') })
        },
      ],
      ['an unknown passkey', async ({ other }) => createAuthenticator().sign(await requestChallenge(other))],
      [
        'a used challenge',
        async ({ site, authenticator }) => {
          const first = browserOf(site)
          const challenge = await requestChallenge(first)
          const response = authenticator.sign(challenge)
          const cookies = [...first.cookies]
          await sendResponse(first, response)
          expect(await isSignedIn(first)).toBe(true)
          // The same browser, as if it had not received the response.
          const again = browserOf(site)
          for (const [name, value] of cookies) again.cookies.set(name, value)
          await expectRefused(again, response)
          return authenticator.sign(challenge)
        },
      ],
      [
        'a challenge that a failed sign-in has used',
        async ({ other, authenticator }) => {
          const challenge = await requestChallenge(other)
          await expectRefused(other, authenticator.sign(challenge, { origin: 'https://elsewhere.example' }))
          return authenticator.sign(challenge)
        },
      ],
      [
        'an expired challenge',
        async ({ site, other, authenticator }) => {
          const challenge = await requestChallenge(other)
          site.clock.now += 5 * MINUTE_MS
          return authenticator.sign(challenge)
        },
      ],
      [
        'the challenge of another browser',
        async ({ site, other, authenticator }) => {
          await requestChallenge(other)
          return authenticator.sign(await requestChallenge(browserOf(site)))
        },
      ],
      [
        'a challenge for adding a passkey',
        async ({ site, other, authenticator }) => {
          await requestChallenge(other)
          const { passkey } = await requestCreation(await signInBrowser(site, hana))
          return authenticator.sign(passkey as never)
        },
      ],
      [
        'a challenge of its own',
        async ({ other, authenticator }) =>
          authenticator.sign(await requestChallenge(other), { challenge: Buffer.alloc(32).toString('base64url') }),
      ],
      [
        'another origin',
        async ({ other, authenticator }) =>
          authenticator.sign(await requestChallenge(other), { origin: 'https://localhost' }),
      ],
      [
        'another relying party',
        async ({ other, authenticator }) =>
          authenticator.sign(await requestChallenge(other), { rpId: 'elsewhere.example' }),
      ],
      [
        'a user who was present but not verified',
        async ({ other, authenticator }) => authenticator.sign(await requestChallenge(other), { flags: 0x01 }),
      ],
      [
        'a counter that does not increase',
        async ({ other, authenticator }) => authenticator.sign(await requestChallenge(other), { counter: 1 }),
      ],
      ['an incomplete response', async ({ authenticator }) => ({ id: authenticator.id })],
      [
        'an ID that no database stores',
        async ({ other, authenticator }) => ({ ...authenticator.sign(await requestChallenge(other)), id: 'a\u0000' }),
      ],
    ])('is refused for %s', async (_, attack) => {
      const { site, browser, passkeys } = await siteWithHana(await fresh())
      const authenticator = await addPasskey(browser)
      const other = browserOf(site)
      const response = await attack({ site, other, authenticator })
      const before = await passkeys()
      const accounts = await site.db.selectFrom('sessions').select('id').execute()
      await expectRefused(other, response)
      expect(await passkeys()).toEqual(before)
      expect(await site.db.selectFrom('sessions').select('id').execute()).toEqual(accounts)
    })

    test('admits one of two simultaneous responses to the same challenge', async () => {
      const { site, browser } = await siteWithHana(await fresh())
      const authenticator = await addPasskey(browser)
      const other = browserOf(site)
      const response = authenticator.sign(await requestChallenge(other))
      const replies = await Promise.all([sendResponse(other, response), sendResponse(other, response)])
      expect(replies.map(({ to }) => to ?? 'refused').sort()).toEqual(['/login/welcome', 'refused'])
    })

    onSqlite('limits the attempts with a passkey and the challenges of a network', async () => {
      const { site, browser } = await siteWithHana(await fresh())
      const authenticator = await addPasskey(browser)
      const other = browserOf(site)
      const challenge = await requestChallenge(other)
      const statuses = []
      for (let attempt = 0; attempt < 11; attempt += 1)
        statuses.push((await sendResponse(other, authenticator.sign(challenge, { origin: 'http://x.example' }))).status)
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
      const limited = await sendResponse(other, authenticator.sign(await requestChallenge(other)))
      expect([limited.status, await isSignedIn(other)]).toEqual([429, false])
      const counted = await site.db.selectFrom('attempts').select('key').execute()
      expect(JSON.stringify(counted)).not.toContain(authenticator.id)

      const far = browserOf(site, { address: '198.51.100.7' })
      for (let request = 0; request < 300; request += 1) await requestChallenge(far)
      expect(await requestChallenge(far)).toBeUndefined()
    })

    onSqlite('requires a verified address if the site verifies addresses', async () => {
      const { site, browser } = await siteWithHana(await fresh(), { verifies: true })
      const authenticator = await addPasskey(browser)
      await site.db.updateTable('accounts').set({ emailVerified: false }).execute()
      const other = browserOf(site)
      await expectRefused(other, authenticator.sign(await requestChallenge(other)))
    })
  })
})
