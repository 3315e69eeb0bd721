import { expect, test } from 'vitest'
import { noHourFields } from '../app/hours/hour-fields.ts'
import { fieldsOf, type MemberField, memberFieldNames, sentences } from '../app/members/member.ts'
import { readSiteToEdit } from '../app/settings/site.server.ts'
import { blankTexts } from '../app/ui/testing-blank-texts.ts'
import type { Db } from '../db/tables.ts'
import { freshSqlite, onEachEngine } from '../db/testing.ts'
import { browserOf, jsonCall, noon, sampleSite } from './testing.ts'
import { folderWith } from './testing-disks.ts'
import { sectionOfSite } from './testing-forms.ts'
import { importExport } from './tools/import.ts'
import { readExport } from './tools/import-documents.ts'

// typed-text.test.ts and characters.test.ts in app/ui test each kind of blank text and each way to exceed a length.
const blankText = Object.values(blankTexts).join('')
const family = '👨‍👩‍👧'

/**
 * Returns a function for each form and JSON call with a text field. Each function sends a text and returns the result.
 */
const createEntryPoints = async (db: Db) => {
  const sampleShop = await sampleSite(db)
  await sampleShop.people()
  const shop = await readSiteToEdit(sampleShop.db)
  let sent = 0
  const form = async (path: string, fields: Record<string, string>) => {
    sent += 1
    sampleShop.clock.now += 60_000
    const response = await sampleShop.post('administrator', path, { once: `once-${sent}`, ...fields })
    return { refused: response.status === 400, responseText: await response.text() }
  }
  const call = async (path: string, body: object) => {
    const response = await sampleShop.as('administrator', path, jsonCall(body))
    return { refused: response.status === 400, responseText: await response.text() }
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
  const specialDayFields = (reason: string) => {
    days += 1
    return {
      ...{ selectedYear: 2030, selectedMonth: 1 + Math.floor(days / 28), selectedDay: 1 + (days % 28) },
      ...{ ...noHourFields, reason },
    }
  }
  const specialDayForm = (reason: string) => {
    const { selectedYear, selectedMonth, selectedDay, ...rest } = specialDayFields(reason)
    const day = { firstYear: `${selectedYear}`, firstMonth: `${selectedMonth}`, firstDay: `${selectedDay}` }
    return form('/bussinessdays', { ...rest, ...day, intent: 'special' })
  }
  const site = (fields: Record<string, string>) => form('/site', sectionOfSite(shop, fields))
  const message = (fields: object) => {
    sampleShop.clock.now += 3_600_000
    return call('/api/mail', { to: 'shop', subject: '題', text: '本文', ...fields })
  }
  const registrationStep = async (field: MemberField, text: string) => {
    const filled = Object.fromEntries(fieldsOf(1).map((name) => [name, '話']))
    const fields = { ...filled, email: 'a@example.jp', [field]: text, step: '1', intent: 'next' }
    const response = await browserOf(sampleShop).post('/membercreate', fields)
    return { refused: response.status === 400, responseText: await response.text() }
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
    sampleShop.clock.now += 3_600_000
    const fields = { name, email: `s${sent}@example.jp`, password: 'long-enough-7-secret' }
    const response = await browserOf(sampleShop).post('/signupform', fields)
    return { refused: response.status === 400, responseText: await response.text() }
  }
  return {
    ...sampleShop,
    form,
    call,
    card,
    slide,
    event,
    specialDayFields,
    specialDayForm,
    site,
    message,
    registrationStep,
    memberCall,
    signUp,
  }
}
type EntryPoints = Awaited<ReturnType<typeof createEntryPoints>>
type TextCase = [
  string,
  string,
  (entryPoints: EntryPoints, text: string) => Promise<{ refused: boolean; responseText: string }>,
]
const json = '/api/collections'

const required: TextCase[] = [
  ['a card’s title', 'タイトルを入力してください', ({ card }, title) => card('vbacreate', { title })],
  ['a dish’s title', '品名を入力してください', ({ card }, title) => card('dining', { title })],
  ['a card’s content', '内容を入力してください', ({ card }, content) => card('vbacreate', { content })],
  ['a slide’s first line', '1行目を入力してください', ({ slide }, text1) => slide({ text1 })],
  ['an event’s title', 'タイトルを入力してください', ({ event }, title) => event({ title })],
  ['the reason of a day', '理由を選んでください', ({ specialDayForm }, reason) => specialDayForm(reason)],
  ['the shop’s name', '店名を入力してください', ({ site }, name) => site({ name })],
  [
    'a link’s name',
    'リンクの名前を入力してください',
    ({ site }, name) => site({ 'links.0.name': name, 'links.0.url': 'https://example.jp/' }),
  ],
  ['a message’s subject', '件名を入力してください', ({ message }, subject) => message({ subject })],
  ['a message’s text', '本文を入力してください', ({ message }, text) => message({ text })],
  ['a member’s name', sentences.blank, ({ registrationStep }, text) => registrationStep('username', text)],
  ['a member’s text', sentences.blank, ({ registrationStep }, text) => registrationStep('profile', text)],
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
    ({ call, specialDayFields }, reason) => call(`${json}/bussinessDaysSpecial`, specialDayFields(reason)),
  ],
  ['a member from outside', sentences.blank, ({ memberCall }, text) => memberCall('username', text)],
]

// Texts are validated before the database is read, so one engine suffices.
test.each(required)('rejects blank text as %s: %s', async (_, sentence, send) => {
  const entryPoints = await createEntryPoints(await freshSqlite())
  const { refused, responseText } = await send(entryPoints, blankText)
  expect([refused, responseText.includes(sentence)]).toEqual([true, true])
  // Visible text is not blank, even with a variation selector at its end.
  expect((await send(entryPoints, '❤\ufe0f')).refused).toBe(false)
})

const limited: [number, ...TextCase][] = [
  [100, 'a card’s title', 'タイトルは100文字までです', ({ card }, title) => card('vbacreate', { title })],
  [5000, 'a card’s content', '内容は5000文字までです', ({ card }, content) => card('vbacreate', { content })],
  [40, 'a slide’s line', '2行目は40文字までです', ({ slide }, text2) => slide({ text2 })],
  [200, 'a picture’s words', '写真の説明は200文字までです', ({ card }, imageAlt) => card('vbacreate', { imageAlt })],
  [100, 'an event’s title', 'タイトルは100文字までです', ({ event }, title) => event({ title })],
  [5000, 'an event’s content', '内容は5000文字までです', ({ event }, content) => event({ content })],
  [40, 'a reason', '理由は40文字までです', ({ specialDayForm }, reason) => specialDayForm(reason)],
  [
    40,
    'a reason',
    '理由は40文字までです',
    ({ call, specialDayFields }, reason) => call(`${json}/bussinessDaysSpecial`, specialDayFields(reason)),
  ],
  [
    20,
    'the cause of a special day',
    '詳しい理由は20文字までです',
    ({ call, specialDayFields }, cause) =>
      call(`${json}/bussinessDaysSpecial`, { ...specialDayFields('臨時休業'), cause }),
  ],
  [
    60,
    'the note of a special day',
    'お客さまへの一文は60文字までです',
    ({ call, specialDayFields }, note) =>
      call(`${json}/bussinessDaysSpecial`, { ...specialDayFields('臨時休業'), note }),
  ],
  [2, 'the seal', '印の文字は2文字までです', ({ site }, seal) => site({ seal })],
  [200, 'a subject', '件名は200文字までです', ({ message }, subject) => message({ subject })],
  [5000, 'a message', '本文は5000文字までです', ({ message }, text) => message({ text })],
  [50, 'a name of an account', 'お名前は50文字までです', ({ signUp }, name) => signUp(name)],
  [
    100,
    'a member’s name',
    'お名前は100文字までです',
    ({ registrationStep }, text) => registrationStep('username', text),
  ],
  [
    2000,
    'a member’s text',
    '自己紹介は2000文字までです',
    ({ registrationStep }, text) => registrationStep('profile', text),
  ],
  [
    100,
    'a card from outside',
    'タイトルは100文字までです',
    ({ call }, title) => call(`${json}/vbacreate`, { title, content: '中' }),
  ],
  [100, 'a member from outside', 'お名前は100文字までです', ({ memberCall }, text) => memberCall('username', text)],
]

test.each(limited)('accepts up to %i visible characters as %s', async (maxLength, _, sentence, send) => {
  const entryPoints = await createEntryPoints(await freshSqlite())
  const longest = family.repeat(maxLength)
  for (const [text, isRejected] of [
    [longest, false],
    [`${longest}あ`, true],
  ] as const) {
    const { refused, responseText } = await send(entryPoints, text)
    expect([isRejected, refused, responseText.includes(sentence)]).toEqual([isRejected, isRejected, isRejected])
  }
})

onEachEngine((fresh) => {
  test('reads a shop name with many code units as it was saved', async () => {
    const { site, text } = await createEntryPoints(await fresh())
    expect((await site({ name: family.repeat(40), seal: '𠮷𠮷' })).refused).toBe(false)
    expect(await text('/access')).toContain(family.repeat(40))
  })

  test('imports an invisible title as missing, and shortens a long reason between two characters', async () => {
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
