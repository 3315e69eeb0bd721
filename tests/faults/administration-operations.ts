import { randomUUID } from 'node:crypto'
import { hashToken } from '../../app/accounts/mailed-links.server.ts'
import { scheduleRows } from '../../app/hours/business-day.ts'
import { hoursPrefix, placeField } from '../../app/hours/groups.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { endInvitationIntent, endStaffIntent, giveRoleIntent } from '../../app/staff/staff-words.ts'
import { paletteNames } from '../../app/ui/palettes.ts'
import { type Deed, documents, type Hand, networkOf, once, readForm, sendForm, takeOne } from './actor.ts'
import { send } from './requests.ts'

const addPage: Deed = async (hand) => {
  const { number, text } = hand.ledger.mark()
  const form = { title: `頁${text}`, name: `trial-${number}` }
  const { reply } = await sendForm(hand, '/pages', form, text, 'a new page')
  if (reply) hand.pages.push({ id: `p-${form.name}`, version: 1 })
}

const editPage: Deed = async (hand) => {
  const page = await takeOne(hand, hand.pages, addPage)
  if (!page) return
  const [path, { text }] = [`/pages/${page.id}/edit`, hand.ledger.mark()]
  const form = await readForm(hand, path, { title: undefined, version: `${page.version}` }, 'a page')
  if (!form) return void hand.pages.push(page)
  const written = JSON.stringify([{ kind: 'paragraph', runs: [{ text: '試しの文章。' }] }])
  const sent = { ...form, title: `直し${text}`, text: written, shown: 'on' }
  const { reply } = await sendForm(hand, path, sent, text, 'a page')
  if (reply) hand.pages.push({ ...page, version: page.version + 1 })
}

const addCardOfPage: Deed = async (hand) => {
  const page = await takeOne(hand, hand.pages, addPage)
  if (!page) return
  const { text } = hand.ledger.mark()
  const form = { intent: 'add', once: randomUUID(), title: `札${text}`, content: '試しの内容。' }
  const path = `/firestoreservice?databasename=${page.id}`
  await sendForm(hand, path, form, text, 'a new card of a page')
}

const deletePage: Deed = async (hand) => {
  const page = await takeOne(hand, hand.pages, addPage)
  if (!page) return
  const form = { intent: 'delete', version: `${page.version}` }
  await sendForm(hand, `/pages/${page.id}/edit`, form, `gone ${page.id}`, 'the end of a page')
}

/** Invites a staff member and returns the token of the link, or null without a response. */
async function invite(hand: Hand) {
  const { text } = hand.ledger.mark()
  const form = { intent: 'invite', name: `招き${text}`, role: hand.random.one(['editing', 'administration']) ?? '' }
  const cookie = hand.cookies[hand.person]
  const { reply } = await hand.ledger.send(hand.address, {
    by: hand.person,
    what: 'an invitation',
    sign: text,
    send: once((address) => send(address, '/staff', { cookie, form })),
  })
  return /\/invitation\?key=([\w-]+)/.exec(reply?.body ?? '')?.[1] ?? null
}

const endInvitation: Deed = async (hand) => {
  const token = await invite(hand)
  if (!token) return
  const key = hashToken(token)
  const form = { intent: endInvitationIntent(key), key }
  await sendForm(hand, '/staff', form, `ended ${key}`, 'the end of an invitation')
}

const hire: Deed = async (hand) => {
  const key = await invite(hand)
  if (!key) return
  const { number, text } = hand.ledger.mark()
  const account = { name: `人${text}`, email: `hired-${number}@example.jp`, password: `hired-high-${number}` }
  const form = { intent: 'sign up', key, ...account }
  const { reply } = await hand.ledger.send(hand.address, {
    by: 'invited',
    what: 'a sign-up by invitation',
    sign: text,
    send: (address) => send(address, `/invitation?key=${key}`, { form, network: networkOf(number) }),
  })
  if (reply) hand.hired.push(account.name)
}

/** Finds a staff member by name on the staff page and returns the fields of the role form, or null. */
async function findHired(hand: Hand, name: string) {
  const reply = await send(hand.address, '/staff', { cookie: hand.cookies[hand.person] })
  const forms = reply?.body.match(/<form\b.*?<\/form>/gs) ?? []
  const form = forms.find((each) => each.includes(`aria-label="${name} さん：`))
  const id = /name="id" value="([\w-]+)"/.exec(form ?? '')?.[1]
  return id ? readForm(hand, '/staff', { id, version: undefined, intent: giveRoleIntent(id) }, 'a role') : null
}

const giveRole: Deed = async (hand) => {
  const name = await takeOne(hand, hand.hired, hire)
  if (!name) return
  const person = await findHired(hand, name)
  hand.hired.push(name)
  if (!person) return
  const role = hand.random.one(['editing', 'administration']) ?? ''
  // Giving the same role again changes nothing.
  const { id, version } = person as { id: string; version: string }
  await sendForm(hand, '/staff', { intent: giveRoleIntent(id), id, version, role }, '', 'a role')
}

const endStaff: Deed = async (hand) => {
  const name = await takeOne(hand, hand.hired, hire)
  if (!name) return
  const person = await findHired(hand, name)
  if (!person) return void hand.hired.push(name)
  const { id, version } = person as { id: string; version: string }
  await sendForm(hand, '/staff', { intent: endStaffIntent(id), id, version }, `gone ${id}`, 'the end of a staff member')
}

const finishMessage: Deed = async (hand) => {
  const path = '/inbox?show=open'
  const reply = await send(hand.address, path, { cookie: hand.cookies[hand.person] })
  const ids = [...(reply?.body ?? '').matchAll(/id="message-([\w-]+)"/g)].map(([, id = '']) => id)
  const message = hand.random.one(ids)
  if (!message) return
  await sendForm(hand, path, { deed: 'done', message }, `done ${message}`, 'a message done')
}

// Operation name, section, and the text field that the operation changes. The section `editing` has only switches.
const sections = [
  ['settings: sign', 'sign', 'name', 'ダイニング結'],
  ['settings: words', 'words', 'description', '試しの紹介'],
  ['settings: place', 'place', 'parking', '試しの駐車場'],
  ['settings: guide', 'guide', 'seats', '試しのお席'],
  ['settings: mail', 'mail', 'recipientNames.shop', '試しの宛先'],
] as const

const settings = sections.map(
  ([what, section, field, words]): Deed =>
    async (hand) => {
      const form = await readForm(hand, '/site', { section }, what)
      if (!form) return
      const { text } = hand.ledger.mark()
      await sendForm(hand, '/site', { ...form, [field]: `${words}${text}` }, text, what)
    },
)

const changeEditing: Deed = async (hand) => {
  const what = 'settings: editing'
  const form = await readForm(hand, '/site', { section: 'editing' }, what)
  if (!form) return
  const { showEditButtonsToVisitors: shown, ...rest } = form
  await sendForm(hand, '/site', { ...rest, ...(shown ? {} : { showEditButtonsToVisitors: 'on' }) }, '', what)
}

const setUpShop: Deed = async (hand) => {
  const { text } = hand.ledger.mark()
  const form = { name: '', seal: '', telephone: '', postalCode: '', address: `京都市東山区${text}` }
  await sendForm(hand, '/welcome/shop', form, text, 'setup: shop')
}

const setUpHours: Deed = async (hand) => {
  const week = (await documents(hand, 'bussinessDays')).find(({ id }) => id === 'week')
  if (!week) return
  const days = scheduleRows.map((name) => [placeField(name), '1'])
  const minute = `${hand.random.between(10, 59)}`
  const hours = { ...noHourFields, starttime1_hour: '10', endtime1_hour: '15', endtime1_minute: minute }
  const group = Object.entries(hours).map(([field, value]) => [hoursPrefix('1') + field, value])
  const form = { version: `${week.version}`, ...Object.fromEntries([...days, ...group]) }
  await sendForm(hand, '/welcome/hours', form, `week ${week.version + 1}`, 'setup: hours')
}

const setUpPictures: Deed = async (hand) => {
  const form = { image: '', palette: hand.random.one(paletteNames) ?? '' }
  await sendForm(hand, '/welcome/pictures', form, '', 'setup: pictures')
}

// All pages stay public, and members can still edit.
const setUpPages: Deed = async (hand) => {
  const form = { circle: 'on', portfolio: 'on', mail: 'on', editors: 'members' }
  await sendForm(hand, '/welcome/pages', form, '', 'setup: pages')
}

/** Operations with pages, staff, messages and settings that only administrators may do, each with its weight. */
export const administrationDeeds: [number, Deed][] = [
  [2, addPage],
  [2, editPage],
  [2, addCardOfPage],
  [1, deletePage],
  [1, endInvitation],
  [1, hire],
  [1, giveRole],
  [1, endStaff],
  [2, finishMessage],
  ...settings.map((deed): [number, Deed] => [0.5, deed]),
  [0.5, changeEditing],
  [0.5, setUpShop],
  [0.5, setUpHours],
  [0.5, setUpPictures],
  [0.5, setUpPages],
]
