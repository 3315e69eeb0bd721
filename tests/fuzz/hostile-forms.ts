import { collectionNames, collections } from '../../app/cards/card.ts'
import { scheduleRows } from '../../app/hours/business-day.ts'
import { hoursPrefix, placeField } from '../../app/hours/groups.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { fieldsOf, type Step } from '../../app/members/member.ts'
import { pageTexts } from '../../app/pages/page-words.ts'
import { siteSectionNames } from '../../app/settings/site-sections.ts'
import { recipientKeys, siteTexts, switches } from '../../app/settings/site-words.ts'

/** IDs and days of the site that a visitor could learn. */
export type Known = {
  card: string
  dish: string
  section: string
  slides: string[]
  event: string
  member: string
  staff: string
  special: string
  message: string
  booking: string
  revisions: string[]
  saves: string[]
  /** The current day in Japan. */
  today: string
  /** The day two weeks after `today`. */
  later: string
}

/** Form with fields as a browser might send them. */
export type Form = { path: string; fields: Record<string, string> }
type Sent = [path: Form['path'], fields: Form['fields']]

const filled = (names: readonly string[], value = '見本') => Object.fromEntries(names.map((name) => [name, value]))

const hours = { ...noHourFields, starttime1_hour: '07', endtime1_hour: '15' }
const date = (name: string) => ({ [`${name}Year`]: '2026', [`${name}Month`]: '12', [`${name}Day`]: '24' })
const eventOn = (day: string) => ({
  ...{ day, title: '会', content: '', startTime: '10:00', endTime: '12:00' },
  ...{ attendance: 'yes', capacity: '8', deadline: day },
})
const card = {
  ...{ order: '1', title: '題', content: '内容', linkUrl: 'https://example.jp/', youtubeUrl: '', image: '' },
  ...{ portraitImage: '', portraitImageFile: '', imageAlt: '', text1: '一行', text2: '', text3: '', price: '900' },
  ...{ allergens: '卵', allergensConfirmed: 'on', draft: 'on' },
  ...{ ...date('eventDay'), once: '', version: '1', 'choice.title': 'theirs' },
}
const section = {
  ...{ name: '見本', introduction: '見本', served: 'own', servedFrom: '17:00', servedUntil: '01:00' },
  ...{ shownFrom: '', shownUntil: '2099-12-24T21:00' },
}
const cardPages = ['firestoreservice', 'webdesignincludebackend', 'tennisrelated', 'socialefficiency']
const days = {
  ...{ ...date('first'), ...date('last'), bulk: 'yes', rhythm: '毎日', weekday: '0', reason: '臨時営業' },
  ...{ cause: '貸切', note: '20:00からは貸切です。' },
  ...{ ...hours, replacing: '2026-12-24:1' },
}
const week = Object.fromEntries(
  scheduleRows.flatMap((row) =>
    Object.entries({ ...hours, open_or_close: 'open' }).map(([name, value]) => [`${row}.${name}`, value]),
  ),
)
const groups = {
  ...Object.fromEntries(scheduleRows.map((row) => [placeField(row), '1'])),
  ...Object.fromEntries(Object.entries(hours).map(([name, value]) => [hoursPrefix('1') + name, value])),
}
// Each section of the site settings is sent with the fields of all sections.
const site = {
  ...{
    ...filled(Object.keys(siteTexts)),
    ...filled(Object.keys(switches), ''),
    directions: '駅から五分',
    wayPicture: '',

    version: '1',
  },
  ...filled(
    recipientKeys.map((name) => `recipients.${name}`),
    'a@example.jp',
  ),
  ...filled(recipientKeys.map((name) => `recipientNames.${name}`)),
  ...{ 'links.0.name': '地図', 'links.0.url': 'https://example.jp/', 'links.9.name': '', 'links.9.url': '' },
}
const pageFields = {
  ...filled(Object.keys(pageTexts)),
  ...{ shown: 'on', place: 'footer', order: '3', film: 'vba', image: '', version: '1' },
}
const password = { current: 'not this one', password: 'another-one-42' }

const message = { id: '00000000-0000-0000-0000-000000000002', subject: '件名', text: '本文' }
const display = { shownFrom: '', shownUntil: '2027-01-01T00:00' }

/** Returns every form of the site. Some paths have several forms. */
export function formsOf(known: Known): Form[] {
  const event = eventOn(known.later)
  const { later } = known
  const table = { day: later, time: '18:00', party: '2', name: '名', telephone: '', wish: '窓ぎわ' }
  const hiddenFields = { once: '', homepage: '', shownAt: '1' }
  const next = { email: 'a@example.jp', intent: 'next', base: '1', flags: '1', admin: 'on', once: '' }
  const order = { intent: 'reorder', seen: known.slides.join(), wanted: known.slides.toReversed().join(), once: '' }
  const formsOfCard = (path: string, id: string): Sent[] => [
    [path, { ...card, intent: 'save', id }],
    [path, { intent: 'delete', id, version: '1', once: '' }],
  ]
  const sent: Sent[] = [
    ['/mail', { to: recipientKeys[0], subject: '件名', text: '本文', from: 'a@example.jp', ...hiddenFields }],
    ['/table', { ...table, email: 'a@example.jp', id: '5a3f7c1e-8f0b-4c56-9d0e-6a2f4b1c3d5e', ...hiddenFields }],
    [`/table/${known.booking}`, { intent: 'change', version: '1', day: later, time: '18:00', party: '3' }],
    [`/table/${known.booking}`, { intent: 'cancel', version: '1' }],
    [
      '/tables',
      { intent: 'answer', booking: known.booking, version: '1', state: 'accepted', reply: 'お待ちしています。' },
    ],
    ['/tables', { intent: 'answer', booking: known.booking, version: '1', state: 'offered', offer: `${later} 19:00` }],
    ['/tables', { intent: 'enter', ...table, once: '' }],
    ['/tables', { intent: 'came', booking: known.booking, version: '1', came: 'yes' }],
    ['/tables', { intent: 'day', day: later, takes: '' }],
    ['/emaillogin', { email: 'nobody@example.jp', password: 'x' }],
    ['/signupform', { name: '名', email: 'wakaba@example.jp', password: 'another-one-42' }],
    ['/resetpassword', { email: 'nobody@example.jp' }],
    ['/resetpassword', { token: 'x', password: 'another-one-42' }],
    ['/verifyemail', { token: 'x', current: 'toss-high-9' }],
    ['/undoaddress', { token: 'x' }],
    ['/account', { intent: 'password', ...password }],
    ['/account', { intent: 'email', email: 'other@example.jp', current: 'not this one' }],
    ['/account', { intent: 'verify' }],
    ['/account', { intent: 'device', device: 'none' }],
    ['/account', { intent: 'create token', name: '台帳', scope: 'write', current: 'not this one' }],
    ['/account', { intent: 'revoke token', token: 'none' }],
    ['/account', { intent: 'start passkey', name: '端末', current: 'not this one' }],
    ['/account', { intent: 'add passkey', response: '{"id":"x"}' }],
    ['/account', { intent: 'rename passkey', passkey: 'none', name: '端末' }],
    ['/account', { intent: 'remove passkey', passkey: 'none' }],
    ['/account', { intent: 'add push device', endpoint: 'https://fcm.googleapis.com/x', p256dh: 'x', auth: 'x' }],
    ['/account', { intent: 'save push kinds', device: 'none', 'push-inquiry': 'on' }],
    ['/account', { intent: 'remove push device', device: 'none' }],
    ['/account', { intent: 'leave', current: 'not this one', agreed: 'on' }],
    ['/backup', { current: 'not this one' }],
    ['/logout', {}],
    ['/welcome', { intent: 'begin', key: 'x', name: '名', email: 'a@example.jp', password: 'another-one-42' }],
    ['/welcome', { intent: 'as oneself', key: 'x' }],
    ['/welcome/shop', { name: '店', seal: '店', telephone: '075', postalCode: '6000001', address: '町' }],
    ['/welcome/hours', { ...groups, version: '1' }],
    ['/welcome/pictures', { image: '', palette: 'ai' }],
    ['/welcome/pages', { circle: 'on', portfolio: 'on', mail: 'on', editors: 'members' }],
    ['/staff', { intent: 'invite', name: '人', role: 'editing' }],
    ['/staff', { intent: 'invitation x', key: 'x' }],
    ['/staff', { intent: `give ${known.staff}`, id: known.staff, version: '1', role: 'editing' }],
    ['/staff', { intent: `end ${known.staff}`, id: known.staff, version: '1' }],
    ['/invitation', { intent: 'accept', key: 'x', name: '人' }],
    ['/invitation', { intent: 'sign up', key: 'x', name: '人', email: 'a@example.jp', password: 'another-one-42' }],
    ['/invitation', { intent: 'sign in', key: 'x', email: 'nobody@example.jp', password: 'x' }],
    ...['/membercreate', `/membercreate/${known.member}`, '/membercreate?for=nonmember'].flatMap((path) =>
      ([1, 2, 3, 4, 5] as Step[]).map((step): Sent => [path, { ...filled(fieldsOf(step)), step: `${step}`, ...next }]),
    ),
    ['/memberdetailconfirm', { once: '', version: '1' }],
    [`/memberdetailconfirm?for=${known.member}`, { once: '', version: '1' }],
    ...['dining', 'vbacreate', 'home', known.card].map((id): Sent => [`/pages/${id}/edit`, pageFields]),
    ['/pages', { title: '店のこと', name: 'about' }],
    ['/pages/p-about/edit', { ...pageFields, text: '[{"kind":"paragraph","runs":[{"text":"店"}]}]' }],
    ['/pages/p-about/edit', { intent: 'delete', version: '1' }],
    ['/memberlist', { deed: 'approve', member: known.member }],
    ['/memberlist', { deed: 'restore', member: known.member }],
    ['/memberlist', { deed: 'rest', member: known.member }],
    ['/memberlist', { deed: 'resume', member: known.member }],
    ['/memberlist', { event: known.event, answer: 'yes', note: 'ひとこと', companions: '1', version: '0', once: '' }],
    ['/memberlist', { deed: 'renew feed' }],
    ['/memberlist/message', { intent: 'preview', audience: 'all', event: '', subject: '件名', text: '本文' }],
    ['/memberlist/message', { ...{ intent: 'send', audience: 'unanswered', event: known.event }, ...message }],
    [`/calendar/${known.event}/people`, { member: known.member, answer: 'yes', companions: '2', version: '0' }],
    [`/calendar/${known.event}/people`, { member: known.member, came: 'yes', version: '0' }],
    [`/calendar/${known.event}/people`, { name: '客', once: '' }],
    [`/calendar/${known.event}/people`, { guest: 'none', name: '客', version: '1' }],
    ['/answer?token=x', { answer: 'yes', note: '', version: '0', once: '' }],
    ['/unsubscribe?token=x', { 'List-Unsubscribe': 'One-Click' }],
    ['/login', { intent: 'start passkey' }],
    ['/login', { intent: 'passkey', response: '{"id":"x"}' }],
    ['/?index', order],
    ['/home', order],
    ['/dining', order],
    ['/dining', { intent: 'sold out', id: known.dish }],
    ['/dining/new/add', { ...card, intent: 'add' }],
    ['/dining/prices', { changes: JSON.stringify({ [known.dish]: { seen: '850', price: '900' } }), once: '' }],
    ...formsOfCard(`/dining/${known.dish}/edit`, known.dish),
    ['/dining/sections/new/add', { ...section, id: '00000000-0000-0000-0000-000000000001', version: '0' }],
    [`/dining/sections/${known.section}/edit`, { ...section, version: '1' }],
    [`/dining/sections/${known.section}/edit`, { intent: 'delete', version: '1' }],
    ...formsOfCard(`/firestoreservice/${known.card}/edit`, known.card),
    ...cardPages.flatMap((page): Sent[] => [
      [`/${page}/${known.card}/edit`, { ...card, intent: 'save' }],
      [`/${page}/new/add`, { ...card, intent: 'add' }],
    ]),
    ...collectionNames.map((name): Sent => [`/firestoreservice?databasename=${name}`, { ...card, intent: 'add' }]),
    ['/calendar', { ...event, intent: 'add', id: '00000000-0000-0000-0000-000000000000' }],
    [
      '/calendar',
      {
        ...{ ...event, intent: 'add', id: '00000000-0000-0000-0000-000000000001', recurrence: '毎週', until: '' },
        ...{ times: '3', skipsClosedDays: 'yes', skipsHolidays: 'yes', deadlineDays: '2', deadlineTime: '18:00' },
      },
    ],
    ['/calendar', { ...event, intent: 'save', id: known.event, version: '1', scope: 'later' }],
    ['/calendar', { intent: 'move', id: known.event, version: '1', day: known.today, scope: 'later' }],
    ['/calendar', { intent: 'delete', id: known.event, version: '1', scope: 'later' }],
    ['/bussinessdays', { ...week, intent: 'week', version: '1', overwriting: 'yes' }],
    ['/bussinessdays', { ...days, intent: 'special' }],
    ['/bussinessdays', { intent: 'remove', first: known.special, version: '1' }],
    ['/bussinessdays', { ...groups, intent: 'groups', version: '1', overwriting: 'yes' }],
    [
      '/notices/new/add',
      { id: newId, version: '0', text: '見本', link: '', place: 'home', important: 'on', ...display },
    ],
    [`/notices/${newId}/edit`, { intent: 'delete', version: '1' }],
    ['/translations/en/site', { version: '0', 'site.name': 'Noren', 'site.description': 'A restaurant' }],
    ['/today', { intent: 'put the list away' }],
    ['/today', { intent: 'close', day: known.today, version: '0' }],
    ['/today', { intent: 'special', day: known.today, version: '0', reason: '営業時間変更', ...hours }],
    ['/today', { intent: 'usual', day: known.today, version: '1' }],
    ['/inbox', { deed: 'reply', message: known.message, text: '返事', once: '' }],
    ...['send on', 'hold', 'delete', 'restore', 'done', 'reopen'].map(
      (deed): Sent => ['/inbox', { deed, message: known.message }],
    ),
    ['/inbox', { deed: 'resend', mail: 'none' }],
    ...siteSectionNames.map((section): Sent => ['/site', { ...site, section }]),
    ['/undo', { revision: known.revisions[0] ?? '' }],
    ['/undo', { save: known.saves[0] ?? '' }],
    ...['card', 'event', 'specialDay', 'member'].map((kind): Sent => ['/bin', { kind, id: known.card }]),
  ]
  return sent.map(([path, fields]) => ({ path, fields }))
}

/** JSON call as a program might send it. The values of `fields` are JSON text. */
export type Call = { method: string; path: string; fields: Record<string, string> }

const newId = '00000000-0000-0000-0000-000000000001'

/** Returns every JSON call with a body. */
export function callsOf(known: Known): Call[] {
  const event = eventOn(known.later)
  const asJson = (fields: object) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]))
  const selected = { selectedYear: 2026, selectedMonth: 12, selectedDay: 24 }
  const row = { ...hours, open_or_close: 'open' }
  const rights = { admin: true, administrator: true }
  const mail = { to: 'shop', subject: '件名', text: '本文', from: 'a@example.jp' }
  const documents: Record<string, { id: string; fields: object }> = {
    ...Object.fromEntries(
      collectionNames.map((name) => {
        const own = Object.fromEntries(collections[name].fields.map((field) => [field, '見本']))
        const times = { shownFrom: '', shownUntil: '2099-12-24T21:00' }
        const empty = { allergens: '', linkUrl: '', image: '', youtubeUrl: '', marks: '', section: '', ...times }
        const fields = { ...own, order: 1, price: 900, ...empty, draft: true, eventday: '2026-12-24', ...selected }
        return [name, { id: known.card, fields }]
      }),
    ),
    events: { id: known.event, fields: { ...event, date: known.later, capacity: 8, attendance: true } },
    sections: { id: known.section, fields: section },
    pages: {
      id: 'dining',
      fields: {
        ...filled(Object.keys(pageTexts)),
        shown: true,
        place: 'footer',
        order: 3,
        film: 'vba',
        image: '',
        text: [],
      },
    },
    bussinessDays: { id: 'week', fields: { schedule: Object.fromEntries(scheduleRows.map((name) => [name, row])) } },
    bussinessDaysSpecial: { id: known.special, fields: { ...selected, reason: '臨時営業', ...hours } },
    members: {
      id: known.member,
      fields: { ...filled(([1, 2, 3, 4, 5] as Step[]).flatMap(fieldsOf)), email: 'a@example.jp', ...rights },
    },
  }
  return [
    { method: 'POST', path: '/api/mail', fields: asJson(mail) },
    { method: 'POST', path: '/api/delete', fields: asJson({ filename: `${'0'.repeat(32)}-400.jpg` }) },
    { method: 'POST', path: '/api/upload', fields: asJson({ image: 'x' }) },
    ...Object.entries(documents).flatMap(([name, { id, fields }]): Call[] => [
      { method: 'POST', path: `/api/collections/${name}`, fields: asJson({ ...fields, id: newId }) },
      { method: 'PATCH', path: `/api/collections/${name}/${id}`, fields: asJson({ ...fields, version: 1 }) },
      { method: 'DELETE', path: `/api/collections/${name}/${id}`, fields: asJson({ version: 1 }) },
    ]),
  ]
}

/** Returns the query parameters that pages read. */
export function queriesOf(known: Known): [name: string, value: string][] {
  return [
    ...(['month', 'in', 'year'] as const).map((name): [string, string] => [name, name === 'month' ? '2026-12' : '12']),
    ['day', '2026-12-24'],
    ['table', 'special'],
    ['recurrence', '毎週'],
    ['times', '3'],
    ['until', '2026-12-24'],
    ['skipsClosedDays', 'yes'],
    ['page', '2'],
    ['changes', '2'],
    ['step', '3'],
    ['for', known.member],
    ['for', 'nonmember'],
    ['to', 'shop'],
    ['q', '花'],
    ['awaiting', ''],
    ['done', 'saved'],
    ['undo', known.revisions[0] ?? ''],
    ['edit', known.dish],
    ['add', ''],
    ['arrange', ''],
    ['format', 'vertical'],
    ['section', known.dish],
    ['event', known.event],
    ['databasename', 'dining'],
    ['token', 'x'],
    ['problem', 'refused'],
    ['error', 'access_denied'],
    ['window', 'popup'],
    ['sent', ''],
    ['newpassword', ''],
    ['index', ''],
    ['_routes', 'root'],
    ['_routes', 'routes/none,__proto__'],
    ['steps', '0-5'],
    ['topics', 'dining,hours'],
    ['since', 'x-1'],
    ['v', '1'],
    ['utm_source', 'x'],
    ['code', 'x'],
    ['state', 'x'],
  ]
}
