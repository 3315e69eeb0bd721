import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import {
  answerAsGuest,
  ask,
  askedTable,
  author,
  defaults,
  openSite,
  readRows,
  SATURDAY,
  saveSettings,
} from './testing-table-pages.ts'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  test('stores a repeated submission once', async () => {
    const site = await openSite(await fresh())
    const { id } = await askedTable(site)
    await askedTable(site, { id })
    expect(await readRows(site)).toHaveLength(1)
  })

  test('names the stored request when the form was changed after its response was lost', async () => {
    const site = await openSite(await fresh())
    const { id, path } = await askedTable(site)
    const stored = await readRows(site)
    const changed = await ask(site, { id, time: '12:30', party: '4' })
    expect(changed.headers.get('location')).toBe(`${path}?earlier`)
    expect(await readRows(site)).toEqual(stored)
    const sentence = 'そのあとに変えた内容は届いていません。'
    expect(await site.text(`${path}?earlier`)).toContain(sentence)
    expect(await site.text(path)).not.toContain(sentence)
    expect((await answerAsGuest(site, path, { intent: 'cancel' })).status).toBe(302)
    expect(await site.text(`${path}?earlier`)).not.toContain(sentence)
  })

  test('reports the deletion when a request is repeated that the shop has deleted', async () => {
    const site = await openSite(await fresh())
    const { id } = await askedTable(site)
    await site.db.updateTable('bookings').set({ deletedAt: author.at }).where('id', '=', id).execute()
    const response = await ask(site, { id })
    expect(response.status).toBe(409)
    const html = await response.text()
    expect(html).toContain('通信が切れる前に送った内容で承ったお申し込みは、お店で取り消されています。')
    expect(html).toContain('value="090-1234-5678"')
    const formId = /name="id" value="([^"]+)"/.exec(html)?.[1] ?? ''
    await askedTable(site, { id: formId })
    expect(await readRows(site)).toHaveLength(2)
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

  onSqlite('does not count requests for a full time towards the rate limit', async () => {
    const site = await openSite(await fresh(), { tableGuestsPerHalfHour: 2 })
    await askedTable(site)
    for (let count = 0; count < 10; count += 1) expect((await ask(site)).status).toBe(409)
    await askedTable(site, { time: '12:30' })
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

  test('limits the size of a request in each language', async () => {
    const site = await openSite(undefined, { otherLanguages: true })
    for (const prefix of ['', '/en']) {
      expect((await ask(site, { wish: 'x'.repeat(60 * 1024) }, prefix)).status, prefix).toBe(400)
      expect((await ask(site, { wish: 'x'.repeat(64 * 1024) }, prefix)).status, prefix).toBe(413)
    }
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

describe('in English', () => {
  const openInEnglish = () => openSite(undefined, { otherLanguages: true })

  test('stores the language of the request', async () => {
    const site = await openInEnglish()
    const response = await ask(site, {}, '/en')
    const [row] = await readRows(site)
    expect(row?.language).toBe('en')
    expect(response.headers.get('location')).toBe(`/en/table/${row?.id}`)
  })

  test('keeps the page and the form working after the owner has switched English off', async () => {
    const site = await openInEnglish()
    const id = crypto.randomUUID()
    const link = (await ask(site, { id }, '/en')).headers.get('location') ?? ''
    await saveSettings(site, { otherLanguages: false })
    expect((await site.get(link)).headers.get('location')).toBe(`/table/${id}`)
    expect((await site.get(`/table/${id}`)).status).toBe(200)
    // A browser repeats the form at the location of a 307.
    const { status, headers } = await ask(site, {}, '/en')
    expect([status, headers.get('location')]).toEqual([307, `/table?day=${SATURDAY}&party=2`])
    expect(await readRows(site)).toHaveLength(1)
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

  test('rejects a form that is too large', async () => {
    const site = await openInEnglish()
    for (const path of ['/en/table', '/en/table.data', '/en/mail', '/en/nowhere']) {
      const response = await site.post('guest', path, { wish: 'x'.repeat(600_000) })
      expect([response.status, await response.text()], path).toEqual([413, 'What you sent is too large.'])
    }
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
