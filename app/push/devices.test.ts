import { createECDH, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { findLink, findToken, hana } from '../../server/testing-account.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { eraseAccount } from '../accounts/accounts.server.ts'
import type { SaveResult } from '../forms/save-result.ts'
import { endStaffIntent } from '../staff/staff.ts'
import { pushKindNames } from './push-kinds.ts'

const DAY_MS = 24 * 60 * 60_000
const { password } = hana
type Person = keyof typeof demoAccounts
type Browser = ReturnType<typeof browserOf>

const SECTION = 'この端末への通知</h2>'
const REFUSED = '通知を受け取れるのは、スタッフと承認されたメンバーだけです。'
const shopKinds = 'inquiry table registration withdrawal'
const memberKinds = 'event place change reminder'
const phone = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) Safari/604.1' }

const createSubscription = (name = crypto.randomUUID() as string) => ({
  endpoint: `https://fcm.googleapis.com/fcm/send/${name}`,
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: randomBytes(16).toString('base64url'),
})

async function post(browser: Browser, fields: Record<string, string>) {
  const response = await browser.post('/account.data', fields)
  return { status: response.status, ...(await actionDataOf<SaveResult>(response)) }
}

const add = (browser: Browser, subscription = createSubscription()) =>
  post(browser, { intent: 'add push device', ...subscription })

/** Returns a site with the people of the demo, who can sign in. */
async function openSite(db: Db, options: { verifies?: boolean } = {}) {
  const site = await sampleSite(db, {}, options)
  await site.people()
  await site.staff()
  await openAccounts(db, password, noon)
  await db.updateTable('accounts').set({ emailVerified: true }).execute()
  const signIn = async (person: Person, browser = browserOf(site, { headers: phone })) => {
    await browser.post('/emaillogin', { email: demoAccounts[person].email, password })
    return browser
  }
  const devices = () => db.selectFrom('pushDevices').selectAll().orderBy('createdAt').orderBy('endpoint').execute()
  const endpoints = async () => (await devices()).map(({ endpoint }) => endpoint.split('/').at(-1))
  return { site, signIn, devices, endpoints }
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  describe('adding a device', () => {
    test('stores the kinds that the visitor may receive, and refuses visitors without a kind', async () => {
      const { signIn, devices } = await openSite(await fresh())
      const expected = {
        approved: memberKinds,
        administrator: `${shopKinds} ${memberKinds}`,
        manager: shopKinds,
        editor: 'table withdrawal',
      }
      for (const [person, kinds] of Object.entries(expected)) {
        const browser = await signIn(person as Person)
        expect(await browser.text('/account'), person).toContain(SECTION)
        expect(await add(browser), person).toMatchObject({ status: 200, done: expect.any(String) })
        const { accountId } = demoAccounts[person as Person]
        expect((await devices()).find((device) => device.accountId === accountId)).toMatchObject({
          name: 'iPhone・Safari',
          kinds,
        })
      }
      for (const person of ['signedIn', 'applicant'] as const) {
        const browser = await signIn(person)
        expect(await browser.text('/account'), person).not.toContain(SECTION)
        expect(await add(browser), person).toMatchObject({ status: 403, trouble: REFUSED })
      }
      expect(await devices()).toHaveLength(4)
    })

    onSqlite('requires a session', async () => {
      const { site, devices } = await openSite(await fresh())
      expect(await add(browserOf(site))).toMatchObject({ status: 401, signIn: true })
      expect(await devices()).toEqual([])
    })

    onSqlite('rejects an endpoint that is not at a push service, and keys in another form', async () => {
      const { signIn, devices } = await openSite(await fresh())
      const browser = await signIn('manager')
      const valid = createSubscription()
      const otherPoint = `${valid.p256dh.slice(0, -4)}AAAA`
      const wrong = [
        ...['', 'none', 'https://127.0.0.1/push', 'https://push.example.jp/1', 'http://fcm.googleapis.com/fcm/send/1'],
        `https://fcm.googleapis.com/${'x'.repeat(2100)}`,
      ].map((endpoint) => ({ ...valid, endpoint }))
      const wrongKeys = ['', 'B', `${valid.p256dh}=`, valid.p256dh.slice(2), otherPoint, ` ${valid.p256dh}`]
      const wrongSecrets = ['', 'x'.repeat(21), `${valid.auth}==`, `${valid.auth.slice(0, -1)}+`, valid.p256dh]
      for (const subscription of [
        ...wrong,
        ...wrongKeys.map((p256dh) => ({ ...valid, p256dh })),
        ...wrongSecrets.map((auth) => ({ ...valid, auth })),
      ]) {
        const { status, trouble } = await add(browser, subscription)
        expect([status, trouble], JSON.stringify(subscription)).toEqual([
          400,
          expect.stringContaining('このブラウザの通知には対応していません。'),
        ])
      }
      expect(await devices()).toEqual([])
    })

    test('retains the ID and the kinds when the browser gets another subscription', async () => {
      const { signIn, devices, endpoints } = await openSite(await fresh())
      const browser = await signIn('manager')
      await add(browser, createSubscription('first'))
      const [first] = await devices()
      await post(browser, { intent: 'save push kinds', device: first?.id ?? '', 'push-table': 'on' })
      const second = createSubscription('second')
      await add(browser, second)
      await add(browser, second)
      expect(await devices()).toMatchObject([{ id: first?.id, kinds: 'table', authSecret: second.auth }])
      expect(await endpoints()).toEqual(['second'])
    })

    test('retains the kinds of the circle when a resting member saves the others', async () => {
      const { site, signIn, devices } = await openSite(await fresh())
      const { accountId } = demoAccounts.administrator
      const browser = await signIn('administrator')
      await add(browser)
      const [device] = await devices()
      await post(browser, {
        intent: 'save push kinds',
        device: device?.id ?? '',
        'push-table': 'on',
        'push-place': 'on',
      })
      await site.db.updateTable('members').set({ resting: true }).where('accountId', '=', accountId).execute()
      const fields = { 'push-inquiry': 'on', 'push-change': 'on' }
      await post(browser, { intent: 'save push kinds', device: device?.id ?? '', ...fields })
      expect(await devices()).toMatchObject([{ kinds: 'inquiry place' }])
    })

    test('moves a browser to the account that last switched it on, with a new ID', async () => {
      const { signIn, devices } = await openSite(await fresh())
      const subscription = createSubscription()
      await add(await signIn('manager'), subscription)
      const [before] = await devices()
      await add(await signIn('approved'), subscription)
      const after = await devices()
      expect(after).toMatchObject([{ accountId: demoAccounts.approved.accountId, kinds: memberKinds }])
      expect(after[0]?.id).not.toBe(before?.id)
    })

    test('removes the oldest device of the account when there are more than 20', async () => {
      const { site, signIn, endpoints } = await openSite(await fresh())
      await add(await signIn('editor'), createSubscription('editor'))
      for (let turn = 0; turn <= 20; turn += 1) {
        site.clock.now += 1000
        await add(await signIn('manager'), createSubscription(`${turn}`))
      }
      const remaining = await endpoints()
      expect([remaining.length, remaining.includes('0'), remaining.includes('1'), remaining.includes('20')]).toEqual([
        ...[21, false, true, true],
      ])
      expect(remaining).toContain('editor')
    })
  })

  describe('the devices of an account', () => {
    test('receive only kinds that the visitor may receive', async () => {
      const { signIn, devices } = await openSite(await fresh())
      const browser = await signIn('editor')
      await add(browser)
      const [device] = await devices()
      const all = Object.fromEntries(pushKindNames.map((kind) => [`push-${kind}`, 'on']))
      const saved = await post(browser, { intent: 'save push kinds', device: device?.id ?? '', ...all })
      expect(saved).toMatchObject({ status: 200, done: '届く通知を保存しました。' })
      expect(await devices()).toMatchObject([{ kinds: 'table withdrawal' }])
      await post(browser, { intent: 'save push kinds', device: device?.id ?? '' })
      expect(await devices()).toMatchObject([{ kinds: '' }])
      expect((await browser.get('/account')).status).toBe(200)
    })

    test('are changed and removed only by the account', async () => {
      const { signIn, devices } = await openSite(await fresh())
      const [browser, stranger] = [await signIn('manager'), await signIn('editor')]
      await add(browser)
      const [device] = await devices()
      const fields = { device: device?.id ?? '', 'push-table': 'on' }
      expect((await post(stranger, { intent: 'save push kinds', ...fields })).status).toBe(404)
      await post(stranger, { intent: 'remove push device', ...fields })
      expect(await devices()).toMatchObject([{ kinds: shopKinds }])
      for (let turn = 0; turn < 2; turn += 1)
        expect(await post(browser, { intent: 'remove push device', ...fields })).toMatchObject({
          status: 200,
          done: '通知を止めました。',
        })
      expect(await devices()).toEqual([])
      expect((await post(browser, { intent: 'save push kinds', ...fields })).trouble).toContain(
        'すでに止められています',
      )
    })

    test('are in the data of the account without their keys, and end with the account', async () => {
      const { site, signIn, devices } = await openSite(await fresh())
      const browser = await signIn('manager')
      const subscription = createSubscription()
      await add(browser, subscription)
      await add(await signIn('editor'))
      const exported = await browser.text('/account/data')
      expect(JSON.parse(exported).pushDevices).toMatchObject([
        { name: 'iPhone・Safari', endpoint: subscription.endpoint, kinds: shopKinds },
      ])
      for (const page of [exported, await browser.text('/account')]) {
        expect(page).not.toContain(subscription.p256dh)
        expect(page).not.toContain(subscription.auth)
      }
      await eraseAccount(site.db, demoAccounts.manager.accountId)
      expect((await devices()).map(({ accountId }) => accountId)).toEqual([demoAccounts.editor.accountId])
    })
  })

  describe('the notifications of a browser', () => {
    /** Returns the browsers of a manager at home and on the way, and of an editor, which receive notifications. */
    const openThreeDevices = async (options = {}) => {
      const shop = await openSite(await fresh(), options)
      const [home, away, editor] = [
        await shop.signIn('manager'),
        await shop.signIn('manager'),
        await shop.signIn('editor'),
      ]
      await add(home, createSubscription('home'))
      shop.site.clock.now += 1000
      await add(away, createSubscription('away'))
      shop.site.clock.now += 1000
      await add(editor, createSubscription('editor'))
      return { ...shop, home, away, editor }
    }

    test('end when the browser signs out', async () => {
      const { home, endpoints } = await openThreeDevices()
      await home.post('/logout', {})
      expect(await endpoints()).toEqual(['away', 'editor'])
    })

    test('end when another browser of the account ends the session', async () => {
      const { home, devices, endpoints } = await openThreeDevices()
      const session = (await devices()).find(({ endpoint }) => endpoint.endsWith('away'))?.sessionId ?? ''
      await post(home, { intent: 'device', device: session })
      expect(await endpoints()).toEqual(['home', 'editor'])
    })

    test('end when another browser of the account ends all other sessions', async () => {
      const { home, endpoints } = await openThreeDevices()
      await post(home, { intent: 'other devices' })
      expect(await endpoints()).toEqual(['home', 'editor'])
    })

    test('end with a new password', async () => {
      const { home, endpoints } = await openThreeDevices()
      const changed = await post(home, { intent: 'password', current: password, password: 'slice-low-8' })
      expect(changed.done).toContain('パスワードを変更しました。')
      expect(await endpoints()).toEqual(['editor'])
    })

    test('end with the undo of a change of the e-mail address', async () => {
      const { site, home, endpoints } = await openThreeDevices({ verifies: true })
      await post(home, { intent: 'email', email: 'other@example.jp', current: password })
      const undo = site.mails.findLast(
        ({ to, text }) => to === demoAccounts.manager.email && text.includes('/undoaddress'),
      )
      await browserOf(site).post('/undoaddress', { token: findToken(findLink(undo)) })
      expect(await endpoints()).toEqual(['editor'])
    })

    test('end when the account is no longer staff', async () => {
      const { site, home, endpoints } = await openThreeDevices()
      const { id, version } = await site.db
        .selectFrom('staff')
        .select(['id', 'version'])
        .where('accountId', '=', demoAccounts.editor.accountId)
        .executeTakeFirstOrThrow()
      await home.post('/staff', { intent: endStaffIntent(id), id, version: `${version}` })
      expect(await endpoints()).toEqual(['home', 'away'])
    })

    test('continue after the session has expired, and end with the next session of the browser', async () => {
      const { site, home, endpoints, devices, signIn } = await openThreeDevices()
      // Sessions begin at the real time.
      site.clock.now = Date.now() + 91 * DAY_MS
      expect(await home.text('/account')).toContain('ログインしてからご覧ください')
      expect(await endpoints()).toEqual(['home', 'away', 'editor'])
      const [before] = await devices()
      site.clock.now = noon
      await signIn('manager', home)
      await add(home, createSubscription('home'))
      expect((await devices()).find(({ id }) => id === before?.id)?.sessionId).not.toBe(before?.sessionId)
      await home.post('/logout', {})
      expect(await endpoints()).toEqual(['away', 'editor'])
    })

    test('continue when the same account signs in again, and end when another account signs in', async () => {
      const { home, endpoints, signIn } = await openThreeDevices()
      await signIn('manager', home)
      expect(await endpoints()).toEqual(['home', 'away', 'editor'])
      await signIn('approved', home)
      expect(await endpoints()).toEqual(['away', 'editor'])
    })
  })
})

describe('/push-worker.js', () => {
  test('is never served from a cache without validation, and intercepts no requests', async () => {
    const { get } = await sampleSite()
    const { status, headers } = await get('/push-worker.js')
    expect([status, headers.get('cache-control'), headers.get('content-type')]).toEqual([
      ...[200, 'no-cache', 'text/javascript; charset=utf-8'],
    ])
    expect(await (await get('/push-worker.js')).text()).not.toMatch(/'fetch'|onfetch|importScripts/)
    expect((await get('/account')).headers.get('content-security-policy')).toContain("worker-src 'self'")
  })
})
