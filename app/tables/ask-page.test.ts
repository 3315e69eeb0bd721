import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { addBooking, changeBooking, readBooking } from '../bookings/bookings.server.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

const author = { accountId: null, at: new Date(noon).toISOString() }
const SATURDAY = '2026-11-21'
const defaults = {
  ...{ day: SATURDAY, time: '12:00', party: '2', name: '青木 花' },
  ...{ telephone: '090-1234-5678', email: 'hana@example.jp', wish: '窓ぎわの席' },
}

async function saveSettings({ db }: Site, facts: Partial<SiteSettings>) {
  const { version } = await readSiteToEdit(db)
  await saveSite(db, { version, facts }, author)
}

async function openSite(database?: Parameters<typeof sampleSite>[0], facts: Partial<SiteSettings> = {}) {
  const site = await sampleSite(database)
  await saveSettings(site, { takesTableRequests: true, ...facts })
  return site
}

/** Submits the form as a browser does, one minute after the page was rendered. */
const ask = (site: Site, fields: Record<string, string> = {}, prefix = '') => {
  const values = { ...defaults, ...fields }
  const trap = { homepage: '', shownAt: String(site.clock.now - 60_000) }
  const path = `${prefix}/table?day=${values.day}&party=${values.party}`
  return site.post('guest', path, { id: crypto.randomUUID(), ...trap, ...values })
}
const readRows = ({ db }: Site) => db.selectFrom('bookings').selectAll().execute()

/** Asks for a table. Returns the path and the ID of the request. */
async function askedTable(site: Site, fields: Record<string, string> = {}) {
  const { id = crypto.randomUUID() } = fields
  const response = await ask(site, { ...fields, id })
  expect(response.headers.get('location')).toBe(`/table/${id}`)
  return { id, path: `/table/${id}` }
}

async function answerByShop({ db }: Site, id: string, changes: Parameters<typeof changeBooking>[2]) {
  const version = (await readBooking(db, id))?.version ?? 0
  expect(await changeBooking(db, { id, version, own: [] }, changes, author)).toHaveProperty('ok')
}

const hiddenVersion = (html: string) => /name="version" value="(\d+)"/.exec(html)?.[1] ?? ''

/** Submits a button of the guest's page. */
async function answerAsGuest(site: Site, path: string, fields: Record<string, string>) {
  const version = hiddenVersion(await site.text(path))
  return site.post('guest', path, { version, ...fields })
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

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

  test('stores a repeated submission once', async () => {
    const site = await openSite(await fresh())
    const { id } = await askedTable(site)
    await askedTable(site, { id })
    expect(await readRows(site)).toHaveLength(1)
  })

  test('rejects a full time with the times that are still free', async () => {
    const site = await openSite(await fresh(), { tableGuestsPerHalfHour: 4 })
    await askedTable(site, { party: '3' })
    const response = await ask(site)
    expect(response.status).toBe(409)
    const html = await response.text()
    expect(html).toContain('12:00は満席になりました。')
    expect(html).toContain('空いているお時間：7:30、8:00、8:30、9:00、11:30、12:30、13:00')
    expect(html).toContain('value="090-1234-5678"')
    expect(html).toMatch(/disabled=""[^>]*value="12:00"|value="12:00"[^>]*disabled=""/)
    expect(await readRows(site)).toHaveLength(1)
  })

  test('accepts ten requests an hour from one network, then shows the telephone number', async () => {
    const site = await openSite(await fresh())
    for (let count = 0; count < 10; count += 1)
      await askedTable(site, { time: count < 4 ? '12:00' : '12:30', party: '1' })
    const response = await ask(site)
    expect(response.status).toBe(429)
    expect(await response.text()).toContain('お急ぎのときは、お電話（075-000-0000）でお願いいたします。')
    expect(await readRows(site)).toHaveLength(10)
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

  onSqlite('frees the seats when the guest cancels', async () => {
    const site = await openSite(await fresh(), { tableGuestsPerHalfHour: 2 })
    const { path } = await askedTable(site)
    expect((await ask(site)).status).toBe(409)
    expect((await answerAsGuest(site, path, { intent: 'cancel' })).status).toBe(302)
    expect(await site.text(path)).toContain('このお申し込みは取り消されました')
    await askedTable(site)
  })
})

describe('limits', () => {
  test.each([
    ['a past day', { day: '2026-11-19' }],
    ['a time that is too soon', { day: '2026-11-20', time: '13:00' }],
    ['a closed day', { day: '2026-11-24' }],
    ['a day without requests', { day: '2026-11-22' }],
    ['a day too far ahead', { day: '2027-01-21' }],
    ['a time after the last order', { time: '13:30' }],
    ['a time between two slots', { time: '10:30' }],
    ['a time between two half hours', { time: '12:15' }],
    ['a party that is too large', { party: '7' }],
  ])('rejects %s', async (_, fields) => {
    const site = await openSite(undefined, { tableDaysWithout: ['2026-11-22'] })
    const response = await ask(site, fields)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('この日時と人数では、お申し込みいただけません。')
    expect(await readRows(site)).toEqual([])
  })

  test.each([
    ['no day', { day: '' }, '日を選んでください'],
    ['an impossible day', { day: '2026-02-30' }, '日を選んでください'],
    ['no time', { time: '' }, '時刻を選んでください'],
    ['an impossible time', { time: '12:60' }, '時刻を選んでください'],
    ['a party of zero', { party: '0' }, '人数を選んでください'],
    ['a party of one and a half', { party: '1.5' }, '人数を選んでください'],
    ['a party of 201', { party: '201' }, '人数を選んでください'],
    ['a blank name', { name: ' 　' }, 'お名前を入力してください'],
    ['a long name', { name: 'あ'.repeat(41) }, 'お名前は40文字までです'],
    ['a telephone number of eight digits', { telephone: '12-345-678' }, '電話番号をご確認ください'],
    ['no contact details', { telephone: '', email: '' }, '電話番号かメールアドレスを入力してください'],
    [
      'no contact details and no time',
      { telephone: '', email: '', time: '' },
      '電話番号かメールアドレスを入力してください',
    ],
    ['an invalid e-mail address', { email: 'hana' }, '有効なメールアドレスではありません'],
    ['a long wish', { wish: 'あ'.repeat(501) }, 'ご要望は500文字までです'],
    ['a filled trap', { homepage: 'https://example.com' }, 'お申し込みを受け付けられませんでした。'],
    [
      'a form that was filled within a second',
      { shownAt: String(noon - 1000) },
      'お申し込みを受け付けられませんでした。',
    ],
    ['a guessable ID', { id: '1' }, 'お申し込みを受け付けられませんでした。'],
  ])('rejects %s', async (_, fields, sentence) => {
    const site = await openSite()
    const response = await ask(site, fields)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(sentence)
    expect(await readRows(site)).toEqual([])
  })

  test('accepts the last possible day and time', async () => {
    await askedTable(await openSite(), { day: '2027-01-18', time: '13:00' })
  })

  test('asks a large party to telephone', async () => {
    const html = await (await openSite()).text(`/table?day=${SATURDAY}&party=7`)
    expect(html).toContain('7名以上のお席は、サイトからお申し込みいただけません。')
    expect(html).toContain('href="tel:0750000000"')
    expect(html).not.toContain('name="time"')
  })

  test('refers to the page about the shop if there is no telephone number', async () => {
    const html = await (await openSite(undefined, { telephone: '' })).text(`/table?day=${SATURDAY}&party=7`)
    expect(html).toContain('お手数ですが、店舗案内の連絡先へお願いいたします。')
  })

  test('explains that no day can be chosen', async () => {
    const site = await openSite(undefined, { tableMinutesToClosing: 600 })
    expect(await site.text('/table')).toContain('ただいま、サイトからお申し込みいただける日がありません。')
  })

  test('offers only open days', async () => {
    const html = await (await openSite()).text('/table')
    expect(html).toContain('<option value="2026-11-26">')
    expect(html).not.toContain('<option value="2026-11-24">')
  })

  test.each(['0', '-1', '1.5', 'x', '99999', 'Infinity'])('opens the form with the party %s', async (party) => {
    expect((await (await openSite()).get(`/table?day=${SATURDAY}&party=${party}`)).status).toBe(200)
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

describe('in English', () => {
  const openInEnglish = () => openSite(undefined, { otherLanguages: true })

  test('stores the language of the request', async () => {
    const site = await openInEnglish()
    const response = await ask(site, {}, '/en')
    const [row] = await readRows(site)
    expect(row?.language).toBe('en')
    expect(response.headers.get('location')).toBe(`/en/table/${row?.id}`)
  })

  test('shows the form, its errors and the request', async () => {
    const site = await openInEnglish()
    expect(await site.text('/en/table')).toContain('Your request is not confirmed until we reply.')
    const errors = await (await ask(site, { name: '', telephone: '', email: '' }, '/en')).text()
    expect(errors).toContain('Please enter your name')
    expect(errors).toContain('Please enter your phone number or your e-mail address')
    const { path } = await askedTable(site)
    const html = await site.text(`/en${path}`)
    expect(html).toContain('Please wait for our reply')
    expect(html).toContain('<span lang="ja">窓ぎわの席</span>')
  })

  test('lists the free times after a full time', async () => {
    const site = await openSite(undefined, { otherLanguages: true, tableGuestsPerHalfHour: 2 })
    await askedTable(site)
    const html = await (await ask(site, {}, '/en')).text()
    expect(html).toContain('12:00 has just been fully booked. Times that are still free: 7:30, 8:00')
  })
})

describe('links', () => {
  const pages = ['/', '/dining', '/access', '/infomation', '/privacy', '/sitemap.xml']
  const MENTION = /\/table(?!>)|お席のお申し込み|acceptsReservations|お席のご用意/

  test.each(pages)('%s does not mention tables while the form is off', async (path) => {
    const site = await sampleSite()
    const before = await site.text(path)
    expect(before).not.toMatch(MENTION)
    await saveSettings(site, { takesTableRequests: true })
    expect(await site.text(path)).toMatch(MENTION)
    await saveSettings(site, { takesTableRequests: false })
    const withoutChange = (html: string) => html.replaceAll(/[\da-f]{8}-\d+/g, '')
    expect(withoutChange(await site.text(path))).toBe(withoutChange(before))
  })

  test.each(['/table', `/table/${crypto.randomUUID()}`, '/table.data', '/en/table'])(
    '%s does not exist while the form is off',
    async (path) => {
      const site = await sampleSite()
      await saveSettings(site, { otherLanguages: true })
      expect((await site.get(path)).status).toBe(404)
      expect((await site.post('guest', path, { ...defaults, id: crypto.randomUUID() })).status).toBe(404)
      expect(await readRows(site)).toEqual([])
    },
  )

  test('lead to the form from every page of the shop', async () => {
    const site = await openSite()
    for (const path of ['/', '/dining', '/access', '/infomation'])
      expect((await site.text(path)).match(/href="\/table"/g), path).toHaveLength(2)
  })

  test('are in the sitemap and in the data for search engines', async () => {
    const site = await openSite(undefined, { otherLanguages: true })
    const sitemap = await site.text('/sitemap.xml')
    expect(sitemap).toContain('<loc>http://localhost/table</loc>')
    expect(sitemap).toContain('<loc>http://localhost/en/table</loc>')
    expect(sitemap).not.toContain('/table/')
    expect(await site.text('/access')).toContain('"acceptsReservations":"http://localhost/table"')
    const html = await site.text('/table')
    expect(html).toContain('<link rel="canonical" href="http://localhost/table"/>')
    expect(html).not.toContain('noindex')
  })
})

test('the privacy page tells when requests are deleted', async () => {
  const site = await openSite(undefined, { otherLanguages: true, tableRetentionDays: 30 })
  expect(await site.text('/privacy')).toContain('ご来店の日から30日たつと削除します。')
  expect(await site.text('/en/privacy')).toContain('We delete them 30 days after your visit.')
})
