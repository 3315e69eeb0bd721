import type { Kysely } from 'kysely'
import { expect, test, vi } from 'vitest'
import { noHourFields } from '../app/hours/hour-fields.ts'
import { fieldsOf, type MemberField, memberFieldNames, sentences } from '../app/members/member.ts'
import { readSiteToEdit } from '../app/settings/site.server.ts'
import type { Tables } from '../db/tables.ts'
import { freshSqlite, onEachEngine } from '../db/testing.ts'
import { browserOf, jsonCall, noon, sampleSite } from './testing.ts'
import { folderWith } from './testing-disks.ts'
import { sectionOfSite } from './testing-forms.ts'
import { importExport } from './tools/import.ts'
import { readExport } from './tools/import-documents.ts'

vi.setConfig({ testTimeout: 120_000 })

const blanks = {
  spaces: ' \u3000\u00a0\u2003',
  'zero-width spaces': '\u200b\u200c\u200d\ufeff',
  'a soft hyphen and word joiners': '\u00ad\u2060\u2061\u2064',
  'a braille blank': '\u2800\u2800',
  'fillers of Hangul': '\u3164\u115f\u1160\uffa0',
  'marks of direction': '\u200e\u200f\u061c\u202a\u202c\u2066\u2069',
  'variation selectors': '\ufe0f\ufe00\u{e0100}',
  'tags and joiners of other scripts': '\u{e0041}\u034f\u180e\u17b4',
  'notes that are not drawn': '\u{1d159}\u{1d173}',
}

const family = '👨‍👩‍👧'
/** Just the limit in characters, one more, and few characters of very many code units each. */
const lengths = (most: number) => ({
  fits: [family.repeat(most), '𠮷'.repeat(most), 'か\u3099'.repeat(most), 'あ'.repeat(most)],
  tooLong: [
    `${family.repeat(most)}あ`,
    '𠮷'.repeat(most + 1),
    'か\u3099'.repeat(most + 1),
    'あ'.repeat(most + 1),
    `あ${'\u0301'.repeat(8 * most)}`,
  ],
})

/** Each place where a text is asked for: how it is sent, and the answer with what is said of it. */
const doors = async (db: Kysely<Tables>) => {
  const made = await sampleSite(db)
  await made.people()
  const shop = await readSiteToEdit(made.db)
  let sent = 0
  const form = async (path: string, fields: Record<string, string>) => {
    sent += 1
    made.clock.now += 60_000
    const response = await made.post('administrator', path, { once: `once-${sent}`, ...fields })
    return { refused: response.status === 400, said: await response.text() }
  }
  const call = async (path: string, body: object) => {
    const response = await made.as('administrator', path, jsonCall(body))
    return { refused: response.status === 400, said: await response.text() }
  }
  const card = (collection: string, fields: object) =>
    form(`/firestoreservice?databasename=${collection}`, { intent: 'add', title: '題', content: '中身', ...fields })
  const slide = (fields: object) =>
    form('/firestoreservice?databasename=home', {
      ...{ intent: 'add', text1: '朝', image: '/art/story-alley-1920.jpg' },
      ...fields,
    })
  const event = (fields: object) =>
    form('/calendar', { ...{ intent: 'add', id: crypto.randomUUID(), day: '2026-11-26', title: '題' }, ...fields })
  let days = 0
  const special = (reason: string) => {
    days += 1
    return {
      ...{ selectedYear: 2030, selectedMonth: 1 + Math.floor(days / 28), selectedDay: 1 + (days % 28) },
      ...{ ...noHourFields, reason },
    }
  }
  const specialForm = (reason: string) => {
    const { selectedYear, selectedMonth, selectedDay, ...rest } = special(reason)
    const day = { firstYear: `${selectedYear}`, firstMonth: `${selectedMonth}`, firstDay: `${selectedDay}` }
    return form('/bussinessdays', { ...rest, ...day, intent: 'special' })
  }
  const site = (fields: Record<string, string>) => form('/site', sectionOfSite(shop, fields))
  const message = (fields: object) => {
    made.clock.now += 3_600_000
    return call('/api/mail', { to: 'shop', subject: '題', text: '本文', ...fields })
  }
  const step = async (field: MemberField, text: string) => {
    const filled = Object.fromEntries(fieldsOf(1).map((name) => [name, '話']))
    const fields = { ...filled, email: 'a@example.jp', [field]: text, step: '1', intent: 'next' }
    const response = await browserOf(made).post('/membercreate', fields)
    return { refused: response.status === 400, said: await response.text() }
  }
  let members = 0
  const memberCall = (field: string, text: string) => {
    members += 1
    const names = memberFieldNames.filter((name) => name !== 'telNum')
    const fields = Object.fromEntries(names.map((name) => [name, '話']))
    const own = { ...fields, tel_num: '075', accountname: `名${members}`, email: `m${members}@example.jp` }
    return call('/api/collections/members', { ...own, [field]: text })
  }
  const signUp = async (name: string) => {
    sent += 1
    made.clock.now += 3_600_000
    const fields = { name, email: `s${sent}@example.jp`, password: 'long-enough-7-secret' }
    const response = await browserOf(made).post('/signupform', fields)
    return { refused: response.status === 400, said: await response.text() }
  }
  return { ...made, form, call, card, slide, event, special, specialForm, site, message, step, memberCall, signUp }
}
type Doors = Awaited<ReturnType<typeof doors>>
type Door = [string, string, (doors: Doors, text: string) => Promise<{ refused: boolean; said: string }>]
const json = '/api/collections'

const required: Door[] = [
  ['a card’s title', 'タイトルを入力してください', ({ card }, title) => card('vbacreate', { title })],
  ['a dish’s title', '品名を入力してください', ({ card }, title) => card('dining', { title })],
  ['a card’s content', '内容を入力してください', ({ card }, content) => card('vbacreate', { content })],
  ['a slide’s first line', '1行目を入力してください', ({ slide }, text1) => slide({ text1 })],
  ['an event’s title', 'タイトルを入力してください', ({ event }, title) => event({ title })],
  ['the reason of a day', '理由を選んでください', ({ specialForm }, reason) => specialForm(reason)],
  ['the shop’s name', '店名を入力してください', ({ site }, name) => site({ name })],
  [
    'a link’s name',
    'リンクの名前を入力してください',
    ({ site }, name) => site({ 'links.0.name': name, 'links.0.url': 'https://example.jp/' }),
  ],
  ['a message’s subject', '件名を入力してください', ({ message }, subject) => message({ subject })],
  ['a message’s text', '本文を入力してください', ({ message }, text) => message({ text })],
  ['a member’s name', sentences.blank, ({ step }, text) => step('username', text)],
  ['a member’s text', sentences.blank, ({ step }, text) => step('profile', text)],
  ['a name of an account', 'お名前を入力してください', ({ signUp }, name) => signUp(name)],
  [
    'a card’s title from outside',
    'タイトルを入力してください',
    ({ call }, title) => call(`${json}/vbacreate`, { title, content: '中身' }),
  ],
  [
    'an event’s title from outside',
    'タイトルを入力してください',
    ({ call }, title) => call(`${json}/events`, { title, date: '2026-11-26' }),
  ],
  [
    'a reason from outside',
    '理由を選んでください',
    ({ call, special }, reason) => call(`${json}/bussinessDaysSpecial`, special(reason)),
  ],
  ['a member from outside', sentences.blank, ({ memberCall }, text) => memberCall('username', text)],
]

// A text is looked at before any database is: which one it is makes no difference.
test.each(required)('%s is not blank: %s', async (_, sentence, send) => {
  const at = await doors(await freshSqlite())
  for (const [kind, text] of Object.entries(blanks)) {
    const { refused, said } = await send(at, text)
    expect([kind, refused, said.includes(sentence)]).toEqual([kind, true, true])
  }
  // What shows is not taken for blank, whatever it ends in.
  expect((await send(at, '❤\ufe0f')).refused).toBe(false)
})

const limited: [number, ...Door][] = [
  [100, 'a card’s title', 'タイトルは100文字までです', ({ card }, title) => card('vbacreate', { title })],
  [5000, 'a card’s content', '内容は5000文字までです', ({ card }, content) => card('vbacreate', { content })],
  [40, 'a slide’s line', '2行目は40文字までです', ({ slide }, text2) => slide({ text2 })],
  [200, 'a picture’s words', '写真の説明は200文字までです', ({ card }, imageAlt) => card('vbacreate', { imageAlt })],
  [100, 'an event’s title', 'タイトルは100文字までです', ({ event }, title) => event({ title })],
  [5000, 'an event’s content', '内容は5000文字までです', ({ event }, content) => event({ content })],
  [40, 'a reason', '理由は40文字までです', ({ specialForm }, reason) => specialForm(reason)],
  [
    40,
    'a reason',
    '理由は40文字までです',
    ({ call, special }, reason) => call(`${json}/bussinessDaysSpecial`, special(reason)),
  ],
  [
    20,
    'the cause of a special day',
    '詳しい理由は20文字までです',
    ({ call, special }, cause) => call(`${json}/bussinessDaysSpecial`, { ...special('臨時休業'), cause }),
  ],
  [
    60,
    'the note of a special day',
    'お客さまへの一文は60文字までです',
    ({ call, special }, note) => call(`${json}/bussinessDaysSpecial`, { ...special('臨時休業'), note }),
  ],
  [2, 'the seal', '印の文字は2文字までです', ({ site }, seal) => site({ seal })],
  [500, 'the notice', 'お知らせは500文字までです', ({ site }, notice) => site({ notice })],
  [200, 'a subject', '件名は200文字までです', ({ message }, subject) => message({ subject })],
  [5000, 'a message', '本文は5000文字までです', ({ message }, text) => message({ text })],
  [50, 'a name of an account', 'お名前は50文字までです', ({ signUp }, name) => signUp(name)],
  [100, 'a member’s name', 'お名前は100文字までです', ({ step }, text) => step('username', text)],
  [2000, 'a member’s text', '自己紹介は2000文字までです', ({ step }, text) => step('profile', text)],
  [
    100,
    'a card from outside',
    'タイトルは100文字までです',
    ({ call }, title) => call(`${json}/vbacreate`, { title, content: '中' }),
  ],
  [100, 'a member from outside', 'お名前は100文字までです', ({ memberCall }, text) => memberCall('username', text)],
]

test.each(limited)('%i characters as they are seen: %s', async (most, _, sentence, send) => {
  const at = await doors(await freshSqlite())
  const { fits, tooLong } = lengths(most)
  for (const text of fits) {
    const { refused, said } = await send(at, text)
    expect([text.slice(0, 8), refused, said.includes(sentence)]).toEqual([text.slice(0, 8), false, false])
  }
  for (const text of tooLong) {
    const { refused, said } = await send(at, text)
    expect([text.slice(0, 8), refused, said.includes(sentence)]).toEqual([text.slice(0, 8), true, true])
  }
})

onEachEngine((fresh) => {
  test('the shop’s facts are read again as they were saved, however long in code units', async () => {
    const { site, text } = await doors(await fresh())
    expect((await site({ name: family.repeat(40), seal: '𠮷𠮷' })).refused).toBe(false)
    expect(await text('/access')).toContain(family.repeat(40))
  })

  test('an import takes a title of which nothing shows for none, and cuts no character apart', async () => {
    const db = await fresh()
    const reason = { selectedYear: 2027, selectedMonth: 8, reason: '' }
    const folder = folderWith({
      'vbacreate.json': [{ id: 'blank', title: '\u3164\u2800', content: '中身', eventdate: '2024-05-01' }],
      'events.json': [{ id: 'blank-event', jsonData: JSON.stringify({ title: '\u2800', date: '2027-04-03' }) }],
      'bussinessDaysSpecial.json': [
        {
          id: 'days',
          schedule: JSON.stringify([
            { ...reason, selectedDay: 1, reason: '\u2060\u3164' },
            { ...reason, selectedDay: 2, reason: '👨‍👩‍👧'.repeat(41) },
          ]),
        },
      ],
    })
    await importExport(db, readExport(folder), { dryRun: false, now: noon })
    expect(await db.selectFrom('cards').select('title').execute()).toEqual([{ title: '（無題）' }])
    expect(await db.selectFrom('events').select('id').execute()).toEqual([])
    expect(await db.selectFrom('specialDays').select(['day', 'reason']).execute()).toEqual([
      { day: '2027-08-02', reason: family.repeat(40) },
    ])
  })
})
