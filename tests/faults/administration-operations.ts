import { randomUUID } from 'node:crypto'
import { hashToken } from '../../app/accounts/mailed-links.server.ts'
import { scheduleRows } from '../../app/hours/business-day.ts'
import { hoursPrefix, placeField } from '../../app/hours/groups.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { endInvitationIntent, endStaffIntent, giveRoleIntent } from '../../app/staff/staff.ts'
import { paletteNames } from '../../app/ui/palettes.ts'
import { type Actor, fetchDocuments, networkOf, type Operation, once, readForm, sendForm, takeRandom } from './actor.ts'
import { send } from './requests.ts'

const addPage: Operation = async (actor) => {
  const { number, text } = actor.log.nextMarker()
  const form = { title: `頁${text}`, name: `trial-${number}` }
  const { reply } = await sendForm(actor, '/pages', form, text, 'a new page')
  if (reply) actor.pages.push({ id: `p-${form.name}`, version: 1 })
}

const editPage: Operation = async (actor) => {
  const page = await takeRandom(actor, actor.pages, addPage)
  if (!page) return
  const [path, { text }] = [`/pages/${page.id}/edit`, actor.log.nextMarker()]
  const form = await readForm(actor, path, { title: undefined, version: `${page.version}` }, 'a page')
  if (!form) return void actor.pages.push(page)
  const written = JSON.stringify([{ kind: 'paragraph', runs: [{ text: '試しの文章。' }] }])
  const sent = { ...form, title: `直し${text}`, text: written, shown: 'on' }
  const { reply } = await sendForm(actor, path, sent, text, 'a page')
  if (reply) actor.pages.push({ ...page, version: page.version + 1 })
}

const addCardOfPage: Operation = async (actor) => {
  const page = await takeRandom(actor, actor.pages, addPage)
  if (!page) return
  const { text } = actor.log.nextMarker()
  const form = { intent: 'add', once: randomUUID(), title: `札${text}`, content: '試しの内容。' }
  const path = `/firestoreservice?databasename=${page.id}`
  await sendForm(actor, path, form, text, 'a new card of a page')
}

const deletePage: Operation = async (actor) => {
  const page = await takeRandom(actor, actor.pages, addPage)
  if (!page) return
  const form = { intent: 'delete', version: `${page.version}` }
  await sendForm(actor, `/pages/${page.id}/edit`, form, `gone ${page.id}`, 'a deleted page')
}

/** Invites a staff member. Returns the token of the invitation link, or null if no link was received. */
async function invite(actor: Actor) {
  const { text } = actor.log.nextMarker()
  const form = { intent: 'invite', name: `招き${text}`, role: actor.random.pick(['editing', 'administration']) ?? '' }
  const cookie = actor.cookies[actor.person]
  const { reply } = await actor.log.send(actor.address, {
    by: actor.person,
    what: 'an invitation',
    marker: text,
    send: once((address) => send(address, '/staff', { cookie, form })),
  })
  return /\/invitation\?key=([\w-]+)/.exec(reply?.body ?? '')?.[1] ?? null
}

const endInvitation: Operation = async (actor) => {
  const token = await invite(actor)
  if (!token) return
  const key = hashToken(token)
  const form = { intent: endInvitationIntent(key), key }
  await sendForm(actor, '/staff', form, `ended ${key}`, 'a revoked invitation')
}

const hire: Operation = async (actor) => {
  const key = await invite(actor)
  if (!key) return
  const { number, text } = actor.log.nextMarker()
  const account = { name: `人${text}`, email: `hired-${number}@example.jp`, password: `hired-high-${number}` }
  const form = { intent: 'sign up', key, ...account }
  const { reply } = await actor.log.send(actor.address, {
    by: 'invited',
    what: 'a sign-up by invitation',
    marker: text,
    send: (address) => send(address, `/invitation?key=${key}`, { form, network: networkOf(number) }),
  })
  if (reply) actor.hired.push(account.name)
}

/**
 * Finds a staff member by name on the staff page. Returns the fields of the role form, or null if they were not found.
 */
async function findHired(actor: Actor, name: string) {
  const reply = await send(actor.address, '/staff', { cookie: actor.cookies[actor.person] })
  const forms = reply?.body.match(/<form\b.*?<\/form>/gs) ?? []
  const form = forms.find((each) => each.includes(`aria-label="${name} さん：`))
  const id = /name="id" value="([\w-]+)"/.exec(form ?? '')?.[1]
  return id ? readForm(actor, '/staff', { id, version: undefined, intent: giveRoleIntent(id) }, 'a role') : null
}

const giveRole: Operation = async (actor) => {
  const name = await takeRandom(actor, actor.hired, hire)
  if (!name) return
  const person = await findHired(actor, name)
  actor.hired.push(name)
  if (!person) return
  const role = actor.random.pick(['editing', 'administration']) ?? ''
  // The operation has no marker, because a repeated assignment of the same role stores nothing.
  const { id, version } = person as { id: string; version: string }
  await sendForm(actor, '/staff', { intent: giveRoleIntent(id), id, version, role }, '', 'a role')
}

const endStaff: Operation = async (actor) => {
  const name = await takeRandom(actor, actor.hired, hire)
  if (!name) return
  const person = await findHired(actor, name)
  if (!person) return void actor.hired.push(name)
  const { id, version } = person as { id: string; version: string }
  await sendForm(actor, '/staff', { intent: endStaffIntent(id), id, version }, `gone ${id}`, 'a removed staff member')
}

const finishMessage: Operation = async (actor) => {
  const path = '/inbox?show=open'
  const reply = await send(actor.address, path, { cookie: actor.cookies[actor.person] })
  const ids = [...(reply?.body ?? '').matchAll(/id="message-([\w-]+)"/g)].map(([, id = '']) => id)
  const message = actor.random.pick(ids)
  if (!message) return
  await sendForm(actor, path, { deed: 'done', message }, `done ${message}`, 'a message done')
}

// Name of the operation, section, and text field that the operation changes. The section `editing` has only switches.
const sections = [
  ['settings: sign', 'sign', 'name', 'ダイニング結'],
  ['settings: words', 'words', 'description', '試しの紹介'],
  ['settings: place', 'place', 'parking', '試しの駐車場'],
  ['settings: guide', 'guide', 'seats', '試しのお席'],
  ['settings: mail', 'mail', 'recipientNames.shop', '試しの宛先'],
] as const

const settings = sections.map(
  ([what, section, field, words]): Operation =>
    async (actor) => {
      const form = await readForm(actor, '/site', { section }, what)
      if (!form) return
      const { text } = actor.log.nextMarker()
      await sendForm(actor, '/site', { ...form, [field]: `${words}${text}` }, text, what)
    },
)

const changeEditing: Operation = async (actor) => {
  const what = 'settings: editing'
  const form = await readForm(actor, '/site', { section: 'editing' }, what)
  if (!form) return
  const { showEditButtonsToVisitors: shown, ...rest } = form
  await sendForm(actor, '/site', { ...rest, ...(shown ? {} : { showEditButtonsToVisitors: 'on' }) }, '', what)
}

const setUpShop: Operation = async (actor) => {
  const { text } = actor.log.nextMarker()
  const form = { name: '', seal: '', telephone: '', postalCode: '', address: `京都市東山区${text}` }
  await sendForm(actor, '/welcome/shop', form, text, 'setup: shop')
}

const setUpHours: Operation = async (actor) => {
  const week = (await fetchDocuments(actor, 'bussinessDays')).find(({ id }) => id === 'week')
  if (!week) return
  const days = scheduleRows.map((name) => [placeField(name), '1'])
  const minute = `${actor.random.between(10, 59)}`
  const hours = { ...noHourFields, starttime1_hour: '10', endtime1_hour: '15', endtime1_minute: minute }
  const group = Object.entries(hours).map(([field, value]) => [hoursPrefix('1') + field, value])
  const form = { version: `${week.version}`, ...Object.fromEntries([...days, ...group]) }
  await sendForm(actor, '/welcome/hours', form, `week ${week.version + 1}`, 'setup: hours')
}

const setUpPictures: Operation = async (actor) => {
  const form = { image: '', palette: actor.random.pick(paletteNames) ?? '' }
  await sendForm(actor, '/welcome/pictures', form, '', 'setup: pictures')
}

// The setup leaves all pages public and permits members to edit, because other operations need both.
const setUpPages: Operation = async (actor) => {
  const form = { circle: 'on', portfolio: 'on', mail: 'on', editors: 'members' }
  await sendForm(actor, '/welcome/pages', form, '', 'setup: pages')
}

/** Operations on pages, staff, messages and settings that only administrators may do. Each operation has a weight. */
export const administrationOperations: [number, Operation][] = [
  [2, addPage],
  [2, editPage],
  [2, addCardOfPage],
  [1, deletePage],
  [1, endInvitation],
  [1, hire],
  [1, giveRole],
  [1, endStaff],
  [2, finishMessage],
  ...settings.map((operation): [number, Operation] => [0.5, operation]),
  [0.5, changeEditing],
  [0.5, setUpShop],
  [0.5, setUpHours],
  [0.5, setUpPictures],
  [0.5, setUpPages],
]
