import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { addBooking } from '../bookings/bookings.server.ts'
import {
  answerAsGuest,
  answerByShop,
  askedTable,
  author,
  defaults,
  hiddenVersion,
  openSite,
  readRows,
  SATURDAY,
} from './testing-table-pages.ts'

onEachEngine((fresh) => {
  test('stores a request and shows it with masked contact details', async () => {
    const site = await openSite(await fresh())
    const { id, path } = await askedTable(site)
    expect(await readRows(site)).toMatchObject([
      { ...defaults, id, party: 2, state: 'asked', byStaff: false, language: '' },
    ])
    const response = await site.get(path)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const html = await response.text()
    expect(html).toContain('まだ確定ではありません')
    expect(html).toContain('11月21日（土） 12:00')
    expect(html).toContain('窓ぎわの席')
    expect(html).toContain('••••5678')
    expect(html).toContain('h•••@example.jp')
    expect(html).toContain('<meta name="robots" content="noindex"/>')
    expect(html).not.toMatch(/090-1234|hana@/)
    expect(html).not.toContain('お申し込みの内容で確定しました')
  })

  test('prevents browsers from storing the English pages of requests', async () => {
    const site = await openSite(await fresh(), { otherLanguages: true })
    const { path } = await askedTable(site)
    for (const each of ['/en/table', `/en${path}`, `/en${path}.data`]) {
      const { status, headers } = await site.get(each)
      expect([status, headers.get('cache-control'), headers.get('etag')], each).toEqual([
        200,
        'private, no-store',
        null,
      ])
    }
  })

  test('accepts the time that the shop offers', async () => {
    const site = await openSite(await fresh())
    const { id, path } = await askedTable(site)
    const offer = { state: 'offered', offeredDay: SATURDAY, offeredTime: '13:00', reply: '13時でしたら' } as const
    await answerByShop(site, id, () => offer)
    expect(await site.text(path)).toContain('13時でしたら')
    expect((await answerAsGuest(site, path, { intent: 'accept' })).headers.get('location')).toBe(path)
    expect(await readRows(site)).toMatchObject([
      { state: 'accepted', time: '13:00', offeredDay: null, offeredTime: null },
    ])
  })

  test('replaces the time by the wish of the guest and waits for another reply', async () => {
    const site = await openSite(await fresh())
    const { id, path } = await askedTable(site)
    await answerByShop(site, id, () => ({ state: 'accepted', reply: 'お待ちしております' }))
    const wish = { intent: 'change', day: '2026-11-22', time: '08:00', party: '4' }
    expect((await answerAsGuest(site, path, wish)).headers.get('location')).toBe(path)
    expect(await readRows(site)).toMatchObject([
      { state: 'asked', day: '2026-11-22', time: '08:00', party: 4, reply: '' },
    ])
    const html = await site.text(path)
    expect(html).toContain('まだ確定ではありません')
    expect(html).not.toContain('お待ちしております')
  })

  test.each([
    ['accepts the offered time', 'accept', 'accepted'],
    ['cancels', 'cancel', 'cancelled'],
  ])('removes the reply of the shop when the guest %s', async (_, intent, state) => {
    const site = await openSite(await fresh())
    const { id, path } = await askedTable(site)
    const reply = '申し訳ございません。ご希望のお時間はお席をご用意できません。'
    await answerByShop(site, id, () => ({ state: 'offered', offeredDay: SATURDAY, offeredTime: '13:00', reply }))
    await answerAsGuest(site, path, { intent })
    expect(await readRows(site)).toMatchObject([{ state, reply: '' }])
    expect(await site.text(path)).not.toContain(reply)
  })

  test('explains a cancellation that crosses a reply of the shop', async () => {
    const site = await openSite(await fresh())
    const { id, path } = await askedTable(site)
    const version = hiddenVersion(await site.text(path))
    await answerByShop(site, id, () => ({ state: 'accepted', reply: 'お待ちしております' }))
    const response = await site.post('guest', path, { version, intent: 'cancel' })
    expect(response.status).toBe(409)
    const html = await response.text()
    expect(html).toContain('お店からのお返事などで、内容が変わりました。')
    expect(html).toContain('お待ちしております')
    expect(await readRows(site)).toMatchObject([{ state: 'accepted' }])
  })
})

describe("the guest's page", () => {
  test('is the same for every visitor who has its URL', async () => {
    const site = await openSite()
    await site.people()
    const { path } = await askedTable(site)
    for (const person of [
      'guest',
      'signedIn',
      'applicant',
      'approved',
      'administrator',
      'editor',
      'manager',
    ] as const) {
      const html = await (await site.as(person, path)).text()
      expect(html, person).toContain('窓ぎわの席')
      expect(html, person).not.toMatch(/090-1234|hana@example/)
    }
  })

  test('does not exist for an unknown ID', async () => {
    const site = await openSite()
    const path = `/table/${crypto.randomUUID()}`
    expect((await site.get(path)).status).toBe(404)
    expect((await site.post('guest', path, { intent: 'cancel', version: '1' })).status).toBe(404)
  })

  test('does not exist for a booking that the staff entered', async () => {
    const site = await openSite()
    const booking = { ...defaults, id: crypto.randomUUID(), party: 2, state: 'accepted', byStaff: true } as const
    await addBooking(site.db, booking, author)
    const path = `/table/${booking.id}`
    expect((await site.get(path)).status).toBe(404)
    expect((await site.post('guest', path, { intent: 'cancel', version: '1' })).status).toBe(404)
    expect(await readRows(site)).toMatchObject([{ state: 'accepted' }])
  })

  test('never shows data of another request', async () => {
    const site = await openSite()
    await askedTable(site, { name: '伊藤 守', wish: '誕生日のお祝い', telephone: '080-9999-8888' })
    const { path } = await askedTable(site)
    for (const each of [path, '/table', `/table?day=${SATURDAY}&party=2`])
      expect(await site.text(each)).not.toMatch(/伊藤|誕生日|9999|8888/)
  })

  test('shows only the facts after the time of the table', async () => {
    const site = await openSite()
    const { path } = await askedTable(site)
    const version = hiddenVersion(await site.text(path))
    site.clock.now = Date.parse(`${SATURDAY}T12:00+09:00`)
    const html = await site.text(path)
    expect(html).toContain('お席のお時間を過ぎました')
    expect(html).toContain('窓ぎわの席')
    expect(html).not.toMatch(/取り消す|変更する|まだ確定ではありません/)
    const wish = { day: '2026-11-22', time: '12:00', party: '2' }
    for (const fields of [{ intent: 'cancel' }, { intent: 'accept' }, { intent: 'change', ...wish }])
      expect((await site.post('guest', path, { version, ...fields })).status).toBe(409)
    expect(await readRows(site)).toMatchObject([{ state: 'asked', day: SATURDAY }])
  })

  test('asks the guest to telephone if the shop has not answered for long', async () => {
    const site = await openSite()
    const { id, path } = await askedTable(site)
    await answerByShop(site, id, () => ({ givenUpAt: author.at }))
    expect(await site.text(path)).toContain('お手数ですが、お電話（')
  })

  test.each([
    ['accepting without an offer', { intent: 'accept' }, 409],
    ['an unknown intent', { intent: 'confirm' }, 400],
    ['a change to a closed day', { intent: 'change', day: '2026-11-24', time: '12:00', party: '2' }, 400],
    ['a change without a time', { intent: 'change', day: SATURDAY, party: '2' }, 400],
  ])('rejects %s', async (_, fields, status) => {
    const site = await openSite()
    const { path } = await askedTable(site)
    expect((await answerAsGuest(site, path, fields)).status).toBe(status)
    expect(await readRows(site)).toMatchObject([{ state: 'asked', day: SATURDAY, time: '12:00', version: 1 }])
  })

  test('keeps its own seats free for a change', async () => {
    const site = await openSite(undefined, { tableGuestsPerHalfHour: 2 })
    const { path } = await askedTable(site)
    expect((await answerAsGuest(site, path, { intent: 'change', ...defaults, party: '1' })).status).toBe(302)
    expect(await readRows(site)).toMatchObject([{ party: 1 }])
  })
})
