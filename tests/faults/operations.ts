import { createHash, randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { addDays } from '../../app/dates/month.ts'
import { scheduleRows } from '../../app/hours/business-day.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { boxes } from '../../app/media/image.ts'
import { fieldsOf, type MemberFields, memberFieldNames, type Step } from '../../app/members/member.ts'
import { administrationDeeds } from './administration-operations.ts'
import { type Deed, documents, type Hand, networkOf, once, readForm, sendForm, takeOne } from './actor.ts'
import { send } from './requests.ts'

const collections = { administrator: ['vbacreate', 'tennisrelated', 'socialefficiency'], approved: ['dining'] }

/** Adds a card to one of the pages that this person may edit. */
export const addCard: Deed = async (hand) => {
  const { number, text } = hand.ledger.mark()
  const collection = hand.random.one(collections[hand.person]) ?? ''
  const form = {
    intent: 'add',
    once: randomUUID(),
    title: `札${text}`,
    content: '試しの内容。'.repeat(number % 40 || 1),
  }
  const { reply } = await sendForm(hand, `/firestoreservice?databasename=${collection}`, form, text, 'a new card')
  const id = /#card-(.*)$/.exec(reply?.location ?? '')?.[1]
  if (id) hand.cards.push({ id, version: 1, collection })
}

/** Changes a card that this person added. */
export const editCard: Deed = async (hand) => {
  const card = await takeOne(hand, hand.cards, addCard)
  if (!card) return
  const { text } = hand.ledger.mark()
  const form = {
    intent: 'save',
    version: `${card.version}`,
    once: randomUUID(),
    title: `直し${text}`,
    content: '直した内容。',
  }
  const { reply } = await sendForm(hand, `/firestoreservice/${card.id}/edit`, form, text, 'a card')
  if (reply) hand.cards.push({ ...card, version: card.version + 1 })
}

const deleteCard: Deed = async (hand) => {
  const card = await takeOne(hand, hand.cards, addCard)
  if (!card) return
  const form = { intent: 'delete', version: `${card.version}`, once: randomUUID() }
  const [path, version] = [`/firestoreservice/${card.id}/edit`, card.version + 1]
  const { reply } = await sendForm(hand, path, form, `card ${card.id} ${version}`, 'the end of a card')
  if (reply) hand.binned.push({ ...card, version })
}

const restoreCard: Deed = async (hand) => {
  const card = await takeOne(hand, hand.binned, deleteCard)
  if (!card) return
  const version = card.version + 1
  const form = { kind: 'card', id: card.id }
  const { reply } = await sendForm(hand, '/bin', form, `card ${card.id} ${version}`, 'a card from the bin')
  if (reply) hand.cards.push({ ...card, version })
}

const reorder: Deed = async (hand) => {
  const slides = await documents(hand, 'home')
  const ids = slides.map(({ id }) => id)
  if (ids.length < 2) return
  const from = hand.random.between(1, ids.length - 1)
  const wanted = [...ids.slice(from), ...ids.slice(0, from)]
  const form = { intent: 'reorder', seen: ids.join(), wanted: wanted.join(), once: randomUUID() }
  // A reorder is identified only by its save ID.
  await sendForm(hand, '/home', form, '', 'an order')
}

const changeWeek: Deed = async (hand) => {
  const week = (await documents(hand, 'bussinessDays')).find(({ id }) => id === 'week')
  if (!week) return
  const minute = `${hand.random.between(10, 59)}`
  const row = {
    ...noHourFields,
    open_or_close: 'open',
    starttime1_hour: '10',
    endtime1_hour: '14',
    endtime1_minute: minute,
  }
  const rows = scheduleRows.flatMap((name) => Object.entries(row).map(([field, value]) => [`${name}.${field}`, value]))
  const form = { intent: 'week', version: `${week.version}`, beside: 'keep', ...Object.fromEntries(rows) }
  await sendForm(hand, '/bussinessdays', form, `week ${week.version + 1}`, 'the week')
}

const addSpecialDay: Deed = async (hand) => {
  const { number, text } = hand.ledger.mark()
  const first = addDays('2030-01-01', number)
  const hours = { ...noHourFields, starttime1_hour: '11', endtime1_hour: '13', endtime1_minute: '30' }
  const form = { intent: 'special', first, reason: `臨時営業${text}`, ...hours }
  const { reply } = await sendForm(hand, '/bussinessdays', form, text, 'a special day')
  if (reply) hand.specialDays.push(first)
}

const removeSpecialDay: Deed = async (hand) => {
  const first = await takeOne(hand, hand.specialDays, addSpecialDay)
  if (!first) return
  const form = { intent: 'remove', first, version: '1' }
  await sendForm(hand, '/bussinessdays', form, `gone ${first}`, 'the end of a special day')
}

const addEvent: Deed = async (hand) => {
  const { number, text } = hand.ledger.mark()
  const event = { id: randomUUID(), day: addDays('2031-01-01', number % 4000), title: `催し${text}`, attendance: 'yes' }
  const { reply } = await sendForm(hand, '/calendar', { intent: 'add', ...event }, text, 'a new event')
  if (reply) hand.events.push({ ...event, version: 1, answers: new Map() })
}

const editEvent: Deed = async (hand) => {
  const event = await takeOne(hand, hand.events, addEvent)
  if (!event) return
  const { text } = hand.ledger.mark()
  const { id, version, day } = event
  const form = { intent: 'save', id, version: `${version}`, day, title: `直し${text}`, attendance: 'yes' }
  const { reply } = await sendForm(hand, '/calendar', form, text, 'an event')
  if (reply) hand.events.push({ ...event, version: version + 1 })
}

const deleteEvent: Deed = async (hand) => {
  const event = await takeOne(hand, hand.events, addEvent)
  if (!event) return
  const form = { intent: 'delete', id: event.id, version: `${event.version}` }
  await sendForm(hand, '/calendar', form, `gone ${event.id}`, 'the end of an event')
}

const answer: Deed = async (hand) => {
  const event = await takeOne(hand, hand.events, addEvent)
  if (!event) return
  const { text } = hand.ledger.mark()
  const version = event.answers.get(hand.person) ?? 0
  const said = hand.random.one(['yes', 'no', 'maybe']) ?? ''
  const form = { event: event.id, answer: said, note: `一言${text}`, version: `${version}`, once: randomUUID() }
  const { reply } = await sendForm(hand, '/memberlist', form, text, 'an answer')
  if (reply) hand.events.push({ ...event, answers: new Map(event.answers).set(hand.person, version + 1) })
}

// Registers a person without an account. An administrator has one draft, so they register one person at a time.
const register: Deed = async (hand) => {
  if (hand.registering.has(hand.person)) return
  hand.registering.add(hand.person)
  await registerInSteps(hand)
  hand.registering.delete(hand.person)
}

const registerInSteps: Deed = async (hand) => {
  const { number, text } = hand.ledger.mark()
  const fields = memberFields(number, text)
  for (const step of [1, 2, 3, 4, 5] as Step[]) {
    const own = Object.fromEntries(fieldsOf(step).map((name) => [name, fields[name]]))
    const form = { intent: 'next', step: `${step}`, ...own }
    const { reply } = await sendForm(hand, '/membercreate?for=nonmember', form, '', 'a step of a registration')
    if (!reply) return
  }
  const path = '/memberdetailconfirm?for=nonmember'
  const form = await readForm(hand, path, { once: undefined, draftHash: undefined }, 'a registration')
  if (!form) return
  const says = ({ location }: { location: string }) => location.includes('done=')
  await sendForm(hand, path, form, text, 'a registration', says)
}

const registerByProgram: Deed = async (hand) => {
  const { number, text } = hand.ledger.mark()
  const { telNum, ...fields } = memberFields(number, text)
  const { reply } = await hand.ledger.send(hand.address, {
    by: hand.person,
    what: 'a registration by a program',
    sign: text,
    send: once((address) =>
      send(address, '/api/collections/members', {
        cookie: hand.cookies[hand.person],
        json: { ...fields, tel_num: telNum },
      }),
    ),
  })
  const id = reply && (JSON.parse(reply.body) as { id?: string }).id
  if (id) hand.applicants.push(id)
}

const approve: Deed = async (hand) => {
  const member = await takeOne(hand, hand.applicants, registerByProgram)
  if (!member) return
  await sendForm(hand, '/memberlist', { deed: 'approve', member }, `approved ${member}`, 'an approval')
}

const upload: Deed = async (hand) => {
  const { number } = hand.ledger.mark()
  const background = { r: number % 256, g: (number >> 8) % 256, b: hand.random.between(0, 255) }
  const picture = await sharp({ create: { width: 320, height: 200, channels: 3, background } })
    .png()
    .toBuffer()
  const name = createHash('sha256').update(`${boxes.card.width} `).update(picture).digest('hex').slice(0, 32)
  const cookie = hand.cookies[hand.person]
  await hand.ledger.send(hand.address, {
    by: hand.person,
    what: 'a picture',
    sign: `picture ${name}`,
    send: (address) => send(address, '/api/upload', { cookie, picture }),
  })
}

/** Sends a contact message as a guest, from a separate network. */
export async function writeMessage({ address, ledger }: Pick<Hand, 'address' | 'ledger'>) {
  const { number, text } = ledger.mark()
  const message = {
    to: 'shop',
    subject: `便り${text}`,
    text: '五名で伺えますか。',
    from: 'guest@example.jp',
    homepage: '',
  }
  const form = { ...message, shownAt: '1', once: randomUUID() }
  const send_ = (to: string) => send(to, '/mail', { form, network: networkOf(number) })
  return ledger.send(address, { by: 'guest', what: 'a message', sign: text, send: send_ })
}

const often: [number, Deed][] = [
  [6, addCard],
  [5, editCard],
  [1, deleteCard],
  [1, restoreCard],
  [3, addSpecialDay],
  [1, removeSpecialDay],
  [3, addEvent],
  [3, editEvent],
  [1, deleteEvent],
  [5, answer],
]
const ofAdministrators: [number, Deed][] = [
  ...often,
  [2, reorder],
  [2, changeWeek],
  [1, register],
  [2, registerByProgram],
  [3, approve],
  [1, upload],
  ...administrationDeeds,
]

/** Returns the operations that a person may do, with their weights. */
export function deedsOf(person: Hand['person']) {
  return person === 'administrator' ? ofAdministrators : often
}

/** Runs one permitted operation, chosen at random by weight. */
export async function doOne(hand: Hand) {
  const list = deedsOf(hand.person)
  let place = hand.random.next() * list.reduce((all, [times]) => all + times, 0)
  for (const [times, deed] of list) {
    place -= times
    if (place < 0) return deed(hand)
  }
}

function memberFields(number: number, text: string) {
  const blank = Object.fromEntries(memberFieldNames.map((name) => [name, '試し'])) as MemberFields
  return { ...blank, username: `歩${text}`, accountname: `a${number}`, email: `walker-${number}@example.jp` }
}
