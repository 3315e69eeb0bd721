import { createHash, randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { addDays } from '../../app/dates/month.ts'
import { scheduleRows } from '../../app/hours/business-day.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { boxes } from '../../app/media/image.ts'
import { fieldsOf, type MemberFields, memberFieldNames, type Step } from '../../app/members/member.ts'
import { type Actor, fetchDocuments, networkOf, type Operation, once, readForm, sendForm, takeRandom } from './actor.ts'
import { administrationOperations } from './administration-operations.ts'
import { send } from './requests.ts'

const collections = { administrator: ['vbacreate', 'tennisrelated', 'socialefficiency'], approved: ['dining'] }

/** Adds a card to one of the pages that this person may edit. */
export const addCard: Operation = async (actor) => {
  const { number, text } = actor.log.nextMarker()
  const collection = actor.random.pick(collections[actor.person]) ?? ''
  const form = {
    intent: 'add',
    once: randomUUID(),
    title: `札${text}`,
    content: '試しの内容。'.repeat(number % 40 || 1),
  }
  const { reply } = await sendForm(actor, `/firestoreservice?databasename=${collection}`, form, text, 'a new card')
  const id = /#card-(.*)$/.exec(reply?.location ?? '')?.[1]
  if (id) actor.cards.push({ id, version: 1, collection })
}

/** Changes a card that this person added. */
export const editCard: Operation = async (actor) => {
  const card = await takeRandom(actor, actor.cards, addCard)
  if (!card) return
  const { text } = actor.log.nextMarker()
  const form = {
    intent: 'save',
    version: `${card.version}`,
    once: randomUUID(),
    title: `直し${text}`,
    content: '直した内容。',
  }
  const { reply } = await sendForm(actor, `/firestoreservice/${card.id}/edit`, form, text, 'a card')
  if (reply) actor.cards.push({ ...card, version: card.version + 1 })
}

const deleteCard: Operation = async (actor) => {
  const card = await takeRandom(actor, actor.cards, addCard)
  if (!card) return
  const form = { intent: 'delete', version: `${card.version}`, once: randomUUID() }
  const [path, version] = [`/firestoreservice/${card.id}/edit`, card.version + 1]
  const { reply } = await sendForm(actor, path, form, `card ${card.id} ${version}`, 'a deleted card')
  if (reply) actor.binned.push({ ...card, version })
}

const restoreCard: Operation = async (actor) => {
  const card = await takeRandom(actor, actor.binned, deleteCard)
  if (!card) return
  const version = card.version + 1
  const form = { kind: 'card', id: card.id }
  const { reply } = await sendForm(actor, '/bin', form, `card ${card.id} ${version}`, 'a restored card')
  if (reply) actor.cards.push({ ...card, version })
}

const reorder: Operation = async (actor) => {
  const slides = await fetchDocuments(actor, 'home')
  const ids = slides.map(({ id }) => id)
  if (ids.length < 2) return
  const from = actor.random.between(1, ids.length - 1)
  const newOrder = [...ids.slice(from), ...ids.slice(0, from)]
  const form = { intent: 'reorder', seen: ids.join(), wanted: newOrder.join(), once: randomUUID() }
  // The data contains no marker of a reorder, so only its save ID is checked.
  await sendForm(actor, '/home', form, '', 'a reorder')
}

const changeWeek: Operation = async (actor) => {
  const week = (await fetchDocuments(actor, 'bussinessDays')).find(({ id }) => id === 'week')
  if (!week) return
  const minute = `${actor.random.between(10, 59)}`
  const row = {
    ...noHourFields,
    open_or_close: 'open',
    starttime1_hour: '10',
    endtime1_hour: '14',
    endtime1_minute: minute,
  }
  const rows = scheduleRows.flatMap((name) => Object.entries(row).map(([field, value]) => [`${name}.${field}`, value]))
  const form = { intent: 'week', version: `${week.version}`, beside: 'keep', ...Object.fromEntries(rows) }
  await sendForm(actor, '/bussinessdays', form, `week ${week.version + 1}`, 'the weekly hours')
}

const addSpecialDay: Operation = async (actor) => {
  const { number, text } = actor.log.nextMarker()
  const first = addDays('2030-01-01', number)
  const hours = { ...noHourFields, starttime1_hour: '11', endtime1_hour: '13', endtime1_minute: '30' }
  const form = { intent: 'special', first, reason: `臨時営業${text}`, ...hours }
  const { reply } = await sendForm(actor, '/bussinessdays', form, text, 'a special day')
  if (reply) actor.specialDays.push(first)
}

const removeSpecialDay: Operation = async (actor) => {
  const first = await takeRandom(actor, actor.specialDays, addSpecialDay)
  if (!first) return
  const form = { intent: 'remove', first, version: '1' }
  await sendForm(actor, '/bussinessdays', form, `gone ${first}`, 'a removed special day')
}

const addEvent: Operation = async (actor) => {
  const { number, text } = actor.log.nextMarker()
  const event = { id: randomUUID(), day: addDays('2031-01-01', number % 4000), title: `催し${text}`, attendance: 'yes' }
  const { reply } = await sendForm(actor, '/calendar', { intent: 'add', ...event }, text, 'a new event')
  if (reply) actor.events.push({ ...event, version: 1, answers: new Map() })
}

const editEvent: Operation = async (actor) => {
  const event = await takeRandom(actor, actor.events, addEvent)
  if (!event) return
  const { text } = actor.log.nextMarker()
  const { id, version, day } = event
  const form = { intent: 'save', id, version: `${version}`, day, title: `直し${text}`, attendance: 'yes' }
  const { reply } = await sendForm(actor, '/calendar', form, text, 'an event')
  if (reply) actor.events.push({ ...event, version: version + 1 })
}

const deleteEvent: Operation = async (actor) => {
  const event = await takeRandom(actor, actor.events, addEvent)
  if (!event) return
  const form = { intent: 'delete', id: event.id, version: `${event.version}` }
  await sendForm(actor, '/calendar', form, `gone ${event.id}`, 'a deleted event')
}

const respond: Operation = async (actor) => {
  const event = await takeRandom(actor, actor.events, addEvent)
  if (!event) return
  const { text } = actor.log.nextMarker()
  const version = event.answers.get(actor.person) ?? 0
  const rsvp = actor.random.pick(['yes', 'no', 'maybe']) ?? ''
  const form = { event: event.id, answer: rsvp, note: `一言${text}`, version: `${version}`, once: randomUUID() }
  const { reply } = await sendForm(actor, '/memberlist', form, text, 'an RSVP')
  if (reply) actor.events.push({ ...event, answers: new Map(event.answers).set(actor.person, version + 1) })
}

// Registers a person without an account. An administrator has only one draft, so each administrator registers one
// person at a time.
const register: Operation = async (actor) => {
  if (actor.registering.has(actor.person)) return
  actor.registering.add(actor.person)
  await registerInSteps(actor)
  actor.registering.delete(actor.person)
}

const registerInSteps: Operation = async (actor) => {
  const { number, text } = actor.log.nextMarker()
  const fields = memberFields(number, text)
  for (const step of [1, 2, 3, 4, 5] as Step[]) {
    const stepFields = Object.fromEntries(fieldsOf(step).map((name) => [name, fields[name]]))
    const form = { intent: 'next', step: `${step}`, ...stepFields }
    const { reply } = await sendForm(actor, '/membercreate?for=nonmember', form, '', 'a step of a registration')
    if (!reply) return
  }
  const path = '/memberdetailconfirm?for=nonmember'
  const form = await readForm(actor, path, { once: undefined, draftHash: undefined }, 'a registration')
  if (!form) return
  const isConfirmed = ({ location }: { location: string }) => location.includes('done=')
  await sendForm(actor, path, form, text, 'a registration', isConfirmed)
}

const registerByProgram: Operation = async (actor) => {
  const { number, text } = actor.log.nextMarker()
  const { telNum, ...fields } = memberFields(number, text)
  const { reply } = await actor.log.send(actor.address, {
    by: actor.person,
    what: 'a registration by a program',
    marker: text,
    send: once((address) =>
      send(address, '/api/collections/members', {
        cookie: actor.cookies[actor.person],
        json: { ...fields, tel_num: telNum },
      }),
    ),
  })
  const id = reply && (JSON.parse(reply.body) as { id?: string }).id
  if (id) actor.applicants.push(id)
}

const approve: Operation = async (actor) => {
  const member = await takeRandom(actor, actor.applicants, registerByProgram)
  if (!member) return
  await sendForm(actor, '/memberlist', { deed: 'approve', member }, `approved ${member}`, 'an approval')
}

const upload: Operation = async (actor) => {
  const { number } = actor.log.nextMarker()
  const background = { r: number % 256, g: (number >> 8) % 256, b: actor.random.between(0, 255) }
  const image = await sharp({ create: { width: 320, height: 200, channels: 3, background } })
    .png()
    .toBuffer()
  const name = createHash('sha256').update(`${boxes.card.width} `).update(image).digest('hex').slice(0, 32)
  const cookie = actor.cookies[actor.person]
  await actor.log.send(actor.address, {
    by: actor.person,
    what: 'an image',
    marker: `picture ${name}`,
    send: (address) => send(address, '/api/upload', { cookie, image }),
  })
}

/** Sends a contact message as a guest, from a separate network. */
export async function writeMessage({ address, log }: Pick<Actor, 'address' | 'log'>) {
  const { number, text } = log.nextMarker()
  const message = {
    to: 'shop',
    subject: `便り${text}`,
    text: '五名で伺えますか。',
    from: 'guest@example.jp',
    homepage: '',
  }
  const form = { ...message, shownAt: '1', once: randomUUID() }
  const sendMessage = (to: string) => send(to, '/mail', { form, network: networkOf(number) })
  return log.send(address, { by: 'guest', what: 'a message', marker: text, send: sendMessage })
}

/** Asks for a table at a time that the site offers, in a week or later. */
export async function askForTable(
  { address, log }: Pick<Actor, 'address' | 'log'>,
  time: { day: string; time: string },
) {
  const { number, text } = log.nextMarker()
  const contact = { name: text, telephone: '090-1234-5678', email: 'guest@example.jp', wish: '' }
  const form = { ...time, ...contact, party: '1', id: randomUUID(), homepage: '', shownAt: '1' }
  const sendRequest = (to: string) => send(to, '/table', { form, network: networkOf(number) })
  return log.send(address, { by: 'guest', what: 'a table', marker: text, send: sendRequest })
}

const memberOperations: [number, Operation][] = [
  [6, addCard],
  [5, editCard],
  [1, deleteCard],
  [1, restoreCard],
  [3, addSpecialDay],
  [1, removeSpecialDay],
  [3, addEvent],
  [3, editEvent],
  [1, deleteEvent],
  [5, respond],
]
const adminOperations: [number, Operation][] = [
  ...memberOperations,
  [2, reorder],
  [2, changeWeek],
  [1, register],
  [2, registerByProgram],
  [3, approve],
  [1, upload],
  ...administrationOperations,
]

/** Returns the operations that a person may do, with their weights. */
export function permittedOperations(person: Actor['person']) {
  return person === 'administrator' ? adminOperations : memberOperations
}

/** Runs one permitted operation, chosen at random by weight. */
export async function runRandom(actor: Actor) {
  const permitted = permittedOperations(actor.person)
  let remaining = actor.random.next() * permitted.reduce((all, [weight]) => all + weight, 0)
  for (const [weight, operation] of permitted) {
    remaining -= weight
    if (remaining < 0) return operation(actor)
  }
}

function memberFields(number: number, text: string) {
  const blank = Object.fromEntries(memberFieldNames.map((name) => [name, '試し'])) as MemberFields
  return { ...blank, username: `歩${text}`, accountname: `a${number}`, email: `walker-${number}@example.jp` }
}
