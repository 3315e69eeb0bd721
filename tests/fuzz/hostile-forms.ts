import { collectionNames, collections } from '../../app/cards/card.ts'
import { noHours, scheduleRows } from '../../app/hours/business-day.ts'
import { hoursPrefix, placeField } from '../../app/hours/groups.ts'
import { fieldsOf, type Step } from '../../app/members/member.ts'
import { pageTexts } from '../../app/pages/page-words.ts'
import { siteSectionNames } from '../../app/settings/site-sections.ts'
import { recipientKeys, siteTexts, switches } from '../../app/settings/site-words.ts'

/** Ids that the site knows, as a visitor could learn them. */
export type Known = {
  card: string
  dish: string
  slides: string[]
  event: string
  member: string
  staff: string
  special: string
  message: string
  revisions: string[]
  saves: string[]
  /** The day in Japan, and one in two weeks. */
  today: string
  later: string
}

/** A form with what a browser might send of it. */
export type Form = { path: string; fields: Record<string, string> }

const filled = (names: readonly string[], value = '見本') => Object.fromEntries(names.map((name) => [name, value]))

const hours = { ...noHours, starttime1_hour: '07', endtime1_hour: '15' }
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
// Each section with the fields of all of them.
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

/** Every form of the site; some of their addresses take several. */
export function formsOf(known: Known): Form[] {
  const event = eventOn(known.later)
  const order = { intent: 'reorder', seen: known.slides.join(), wanted: known.slides.toReversed().join(), once: '' }
  const ofCard = (path: string, id: string): Form[] => [
    { path, fields: { ...card, intent: 'save', id } },
    { path, fields: { intent: 'delete', id, version: '1', once: '' } },
  ]
  return [
    {
      path: '/mail',
      fields: {
        to: recipientKeys[0],
        subject: '件名',
        text: '本文',
        from: 'a@example.jp',
        once: '',
        homepage: '',
        shownAt: '1',
      },
    },
    { path: '/emaillogin', fields: { email: 'nobody@example.jp', password: 'x' } },
    { path: '/signupform', fields: { name: '名', email: 'wakaba@example.jp', password: 'another-one-42' } },
    { path: '/resetpassword', fields: { email: 'nobody@example.jp' } },
    { path: '/resetpassword', fields: { token: 'x', password: 'another-one-42' } },
    { path: '/verifyemail', fields: { token: 'x', current: 'toss-high-9' } },
    { path: '/undoaddress', fields: { token: 'x' } },
    { path: '/account', fields: { intent: 'password', ...password } },
    { path: '/account', fields: { intent: 'email', email: 'other@example.jp', current: 'not this one' } },
    { path: '/account', fields: { intent: 'verify' } },
    { path: '/account', fields: { intent: 'device', device: 'none' } },
    { path: '/account', fields: { intent: 'leave', current: 'not this one', agreed: 'on' } },
    { path: '/backup', fields: { current: 'not this one' } },
    { path: '/logout', fields: {} },
    {
      path: '/welcome',
      fields: { intent: 'begin', key: 'x', name: '名', email: 'a@example.jp', password: 'another-one-42' },
    },
    { path: '/welcome', fields: { intent: 'as oneself', key: 'x' } },
    {
      path: '/welcome/shop',
      fields: { name: '店', seal: '店', telephone: '075', postalCode: '6000001', address: '町' },
    },
    { path: '/welcome/hours', fields: { ...groups, version: '1' } },
    { path: '/welcome/pictures', fields: { image: '', palette: 'ai' } },
    { path: '/welcome/pages', fields: { circle: 'on', portfolio: 'on', mail: 'on', editors: 'members' } },
    { path: '/staff', fields: { intent: 'invite', name: '人', role: 'editing' } },
    { path: '/staff', fields: { intent: 'invitation x', key: 'x' } },
    {
      path: '/staff',
      fields: { intent: `give ${known.staff}`, id: known.staff, version: '1', role: 'editing' },
    },
    { path: '/staff', fields: { intent: `end ${known.staff}`, id: known.staff, version: '1' } },
    { path: '/invitation', fields: { intent: 'accept', key: 'x', name: '人' } },
    {
      path: '/invitation',
      fields: { intent: 'sign up', key: 'x', name: '人', email: 'a@example.jp', password: 'another-one-42' },
    },
    { path: '/invitation', fields: { intent: 'sign in', key: 'x', email: 'nobody@example.jp', password: 'x' } },
    ...['/membercreate', `/membercreate/${known.member}`, '/membercreate?for=nonmember'].flatMap((path) =>
      ([1, 2, 3, 4, 5] as Step[]).map((step) => ({
        path,
        fields: {
          ...filled(fieldsOf(step)),
          email: 'a@example.jp',
          step: `${step}`,
          intent: 'next',
          base: '1',
          flags: '1',
          admin: 'on',
          once: '',
        },
      })),
    ),
    { path: '/memberdetailconfirm', fields: { once: '', intent: 'overwrite' } },
    { path: `/memberdetailconfirm?for=${known.member}`, fields: { once: '', intent: 'overwrite' } },
    ...['dining', 'vbacreate', 'home', known.card].map((id) => ({ path: `/pages/${id}/edit`, fields: pageFields })),
    { path: '/pages', fields: { title: '店のこと', name: 'about' } },
    { path: '/pages/p-about/edit', fields: { ...pageFields, text: '[{"kind":"paragraph","runs":[{"text":"店"}]}]' } },
    { path: '/pages/p-about/edit', fields: { intent: 'delete', version: '1' } },
    { path: '/memberlist', fields: { deed: 'approve', member: known.member } },
    { path: '/memberlist', fields: { deed: 'restore', member: known.member } },
    { path: '/memberlist', fields: { event: known.event, answer: 'yes', note: 'ひとこと', version: '0', once: '' } },
    { path: '/?index', fields: order },
    { path: '/home', fields: order },
    { path: '/dining', fields: order },
    { path: '/dining', fields: { intent: 'sold out', id: known.dish } },
    { path: '/dining/new/add', fields: { ...card, intent: 'add' } },
    ...ofCard(`/dining/${known.dish}/edit`, known.dish),
    ...ofCard(`/firestoreservice/${known.card}/edit`, known.card),
    ...cardPages.flatMap((page) => [
      { path: `/${page}/${known.card}/edit`, fields: { ...card, intent: 'save' } },
      { path: `/${page}/new/add`, fields: { ...card, intent: 'add' } },
    ]),
    ...collectionNames.map((name) => ({
      path: `/firestoreservice?databasename=${name}`,
      fields: { ...card, intent: 'add' },
    })),
    { path: '/calendar', fields: { ...event, intent: 'add', id: '00000000-0000-0000-0000-000000000000' } },
    { path: '/calendar', fields: { ...event, intent: 'save', id: known.event, version: '1' } },
    { path: '/calendar', fields: { intent: 'move', id: known.event, version: '1', day: known.today } },
    { path: '/calendar', fields: { intent: 'delete', id: known.event, version: '1' } },
    { path: '/bussinessdays', fields: { ...week, intent: 'week', version: '1', overwriting: 'yes' } },
    { path: '/bussinessdays', fields: { ...days, intent: 'special' } },
    { path: '/bussinessdays', fields: { intent: 'remove', first: known.special, version: '1' } },
    { path: '/bussinessdays', fields: { ...groups, intent: 'groups', version: '1', overwriting: 'yes' } },
    { path: '/today', fields: { intent: 'put the list away' } },
    { path: '/today', fields: { intent: 'close', day: known.today, version: '0' } },
    {
      path: '/today',
      fields: { intent: 'special', day: known.today, version: '0', reason: '営業時間変更', ...hours },
    },
    { path: '/today', fields: { intent: 'usual', day: known.today, version: '1' } },
    { path: '/inbox', fields: { deed: 'reply', message: known.message, text: '返事', once: '' } },
    ...['send on', 'hold', 'delete', 'restore', 'done', 'reopen'].map((deed) => ({
      path: '/inbox',
      fields: { deed, message: known.message },
    })),
    { path: '/inbox', fields: { deed: 'resend', mail: 'none' } },
    ...siteSectionNames.map((section) => ({ path: '/site', fields: { ...site, section } })),
    { path: '/undo', fields: { revision: known.revisions[0] ?? '' } },
    { path: '/undo', fields: { save: known.saves[0] ?? '' } },
    ...['card', 'event', 'specialDay', 'member'].map((kind) => ({ path: '/bin', fields: { kind, id: known.card } })),
  ]
}

/** A call of the site's JSON with what a program might send: its values as JSON text. */
export type Call = { method: string; path: string; given: Record<string, string> }

/** Every call of the site's JSON that takes something. */
export function callsOf(known: Known): Call[] {
  const event = eventOn(known.later)
  const asJson = (given: object) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, JSON.stringify(value)]))
  const selected = { selectedYear: 2026, selectedMonth: 12, selectedDay: 24 }
  const row = { ...hours, open_or_close: 'open' }
  const documents: Record<string, { id: string; given: object }> = {
    ...Object.fromEntries(
      collectionNames.map((name) => {
        const own = Object.fromEntries(collections[name].fields.map((field) => [field, '見本']))
        return [
          name,
          {
            id: known.card,
            given: {
              ...own,
              order: 1,
              price: 900,
              allergens: '',
              linkUrl: '',
              image: '',
              youtubeUrl: '',
              draft: true,
              eventday: '2026-12-24',
              ...selected,
            },
          },
        ]
      }),
    ),
    events: { id: known.event, given: { ...event, date: known.later, capacity: 8, attendance: true } },
    pages: {
      id: 'dining',
      given: {
        ...filled(Object.keys(pageTexts)),
        shown: true,
        place: 'footer',
        order: 3,
        film: 'vba',
        image: '',
        text: [],
      },
    },
    bussinessDays: { id: 'week', given: { schedule: Object.fromEntries(scheduleRows.map((name) => [name, row])) } },
    bussinessDaysSpecial: { id: known.special, given: { ...selected, reason: '臨時営業', ...hours } },
    members: {
      id: known.member,
      given: {
        ...filled(([1, 2, 3, 4, 5] as Step[]).flatMap(fieldsOf)),
        email: 'a@example.jp',
        admin: true,
        administrator: true,
      },
    },
  }
  return [
    {
      method: 'POST',
      path: '/api/mail',
      given: asJson({ to: 'shop', subject: '件名', text: '本文', from: 'a@example.jp' }),
    },
    { method: 'POST', path: '/api/delete', given: asJson({ filename: `${'0'.repeat(32)}-400.jpg` }) },
    { method: 'POST', path: '/api/upload', given: asJson({ image: 'x' }) },
    ...Object.entries(documents).flatMap(([name, { id, given }]): Call[] => [
      {
        method: 'POST',
        path: `/api/collections/${name}`,
        given: asJson({ ...given, id: '00000000-0000-0000-0000-000000000001' }),
      },
      { method: 'PATCH', path: `/api/collections/${name}/${id}`, given: asJson({ ...given, version: 1 }) },
      { method: 'DELETE', path: `/api/collections/${name}/${id}`, given: asJson({ version: 1 }) },
    ]),
  ]
}

/** What the pages read of their addresses. */
export function queriesOf(known: Known): [name: string, value: string][] {
  return [
    ...(['month', 'in', 'year'] as const).map((name): [string, string] => [name, name === 'month' ? '2026-12' : '12']),
    ['day', '2026-12-24'],
    ['table', 'special'],
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
