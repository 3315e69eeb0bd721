import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { beforeCommit } from '../../db/transaction.ts'
import { often } from '../../scripts/abuse.ts'
import { noon } from '../../server/testing.ts'
import { Rejection } from '../forms/outcome.ts'
import { manageMember } from '../members/administration.server.ts'
import { type MemberFields, memberFieldNames } from '../members/member.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import type { Visitor } from '../permissions.ts'
import { removeSeen } from '../records/own-saves.server.ts'
import { restoreFromBin, revert, undoSave } from '../records/undo.server.ts'
import { Event } from './event.ts'
import { eventRecord } from './event-record.server.ts'
import { addEvent, deleteEvent, saveEvent } from './events.server.ts'
import { addGuest, guestRecord } from './guests.server.ts'
import { updatePlaces } from './places.server.ts'
import { saveRsvp } from './rsvps.server.ts'
import { ADMINISTRATOR, EVENTS, MEMBERS, PlacesModel, type Step, TOMORROW, UNVERIFIED } from './testing-places-model.ts'

const index = (count: number) => fc.nat(count - 1)
const by = fc.constantFrom('self' as const, 'boss' as const)
const place = { member: index(MEMBERS), event: index(EVENTS) }
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      ...place,
      answer: fc.constantFrom('yes' as const, 'yes' as const, 'yes' as const, 'no' as const, 'maybe' as const, null),
      companions: index(3),
      by: fc.constantFrom('self' as const, 'self' as const, 'boss' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('save event' as const),
      event: place.event,
      // 0 means an unlimited capacity.
      capacity: index(7),
      open: fc.integer({ min: 0, max: 5 }).map((number) => number > 0),
      past: fc.integer({ min: 0, max: 7 }).map((number) => number === 0),
      by: fc.constantFrom('administrator' as const, 'boss' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('delete event' as const, 'restore event' as const),
      event: place.event,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('revert event' as const),
      event: place.event,
      version: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['approve', 'approve', 'withdraw', 'rest', 'resume', 'resume', 'delete', 'restore', 'restore'] as const),
      ),
      member: place.member,
      by,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('add guest' as const), event: place.event }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('remove guest' as const, 'restore guest' as const),
      guest: index(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const) }) },
)
// Most parties are in the queues from the start, so that most of the later steps move somebody.
const firstAnswers = fc.array(
  fc.record({
    kind: fc.constant('answer' as const),
    ...place,
    answer: fc.constant('yes' as const),
    companions: index(3),
    by: fc.constant('self' as const),
  }),
  { minLength: 6, maxLength: 10 },
)
const sequences = fc.record({
  capacities: fc.array(fc.option(fc.integer({ min: 2, max: 7 }), { freq: 8 }), {
    minLength: EVENTS,
    maxLength: EVENTS,
  }),
  first: firstAnswers,
  later: fc.array(step, { minLength: 5, maxLength: 14 }),
})

const at = new Date(noon).toISOString()
const today = '2026-11-20'
const boss: NonNullable<Visitor> = {
  ...{ accountId: 'boss', name: '', email: '', emailVerified: true, member: null },
  staff: { id: 'boss', role: 'administration' },
}
const noNotices = { notify: async () => {}, readVerifiedEmails: async () => new Map<string, string>(), origin: '' }
const deps = {
  clock: () => noon,
  readVerifiedEmails: async (ids: string[]) =>
    new Map(ids.filter((id) => id !== `account-${UNVERIFIED}`).map((id) => [id, `${id}@example.jp`])),
  secret: 'the secret of the tests',
  origin: 'https://example.jp',
}

onEachEngine((fresh, engine) => {
  test('sends the e-mails of an independent model in random sequences of changes', async () => {
    const db = await fresh()
    beforeCommit(db, (trx) => updatePlaces(trx, deps))
    const staff = { id: 'boss', version: 1, accountId: 'boss', name: '番頭', role: 'administration' } as const
    await db
      .insertInto('staff')
      .values({ ...staff, createdAt: at, updatedAt: at, deletedAt: null })
      .execute()
    let count = 0
    await fc.assert(
      fc.asyncProperty(sequences, async ({ capacities, first, later }) => {
        // PostgreSQL runs without autovacuum here, and the dead rows of thousands of sequences slow down each query.
        if (++count % 100 === 0) await sql`vacuum`.execute(db)
        await checkSequence(db, capacities, [...first, ...later])
      }),
      { numRuns: often(engine === 'SQLite' ? 60 : 25, 5000), seed: 50, endOnFailure: Boolean(process.env.ABUSE) },
    )
  })
})

async function checkSequence(db: Db, capacities: (number | null)[], steps: Step[]) {
  await startAnew(db, capacities)
  const model = new PlacesModel(capacities)
  let lastSave: string | null = null
  for (const each of steps) {
    if (!isPossible(model, each)) continue
    const expectedCount = model.mails.length
    const guest = model.guests.length
    const isAccepted = model.take(each)
    const save = await act(db, each, { lastSave, guest })
    expect(save !== null, JSON.stringify(each)).toBe(isAccepted)
    if (save && each.kind !== 'answer') lastSave = save
    expect(await takeMails(db), JSON.stringify(each)).toEqual(model.mails.slice(expectedCount).sort())
  }
  for (const event of capacities.keys()) {
    if (!model.event(event)?.open || model.event(event)?.past) continue
    expect(await readKnownPlaces(db, model, event)).toEqual(model.places(event))
  }
}

// Only active members can answer. A member can rest and come back, but the other steps belong to an administrator.
function isPossible(model: PlacesModel, each: Step) {
  if (each.kind === 'answer') return model.isActive(each.member)
  if (!('member' in each) || each.by === 'boss') return true
  const { approved, deleted } = model.member(each.member)
  return approved && !deleted && (each.kind === 'rest' || each.kind === 'resume')
}

async function startAnew(db: Db, capacities: (number | null)[]) {
  for (const table of ['answers', 'events', 'eventGuests', 'members', 'outbox', 'revisions'] as const)
    await db.deleteFrom(table).execute()
  const fields = Object.fromEntries(memberFieldNames.map((name) => [name, ''])) as MemberFields
  const none = { nonMemberId: null, birthday: null, realname: null, deletedAt: null, resting: false }
  const rows = Array.from({ length: MEMBERS }, (_, number) => {
    const names = { id: `member-${number}`, accountId: `account-${number}`, accountnameKey: `${number}` }
    const flags = { administrator: number === ADMINISTRATOR, admin: true }
    return { ...fields, ...none, ...names, ...flags, version: 1, createdAt: at, updatedAt: at }
  })
  await db.insertInto('members').values(rows).execute()
  for (const [number, capacity] of capacities.entries())
    await addEvent(db, `event-${number}`, eventOf(number, { capacity, open: true, past: false }), {
      accountId: null,
      at,
    })
}

function eventOf(number: number, { capacity, open, past }: { capacity: number | null; open: boolean; past: boolean }) {
  const comingDay = number === TOMORROW ? '2026-11-21' : '2026-11-28'
  const day = past ? '2026-11-19' : comingDay
  return Event.parse({ title: `会${number}`, day, startTime: '09:00', attendance: open, capacity })
}

/** Takes a step in the program. Returns the ID of the save, or null if the program refuses the step. */
async function act(db: Db, each: Step, { lastSave, guest }: { lastSave: string | null; guest: number }) {
  const author = { accountId: 'boss', at }
  switch (each.kind) {
    case 'answer': {
      const key = { eventId: `event-${each.event}`, memberId: `member-${each.member}` }
      const row = await db
        .selectFrom('answers')
        .selectAll()
        .where((eb) => eb.and(key))
        .executeTakeFirst()
      const said = each.answer && { answer: each.answer, note: '', companions: each.companions }
      const accountId = each.by === 'self' ? `account-${each.member}` : 'boss'
      const result = saveRsvp(db, { ...key, version: row?.version ?? 0, said }, { accountId, at }, today)
      return (await result.catch(toNull))?.ok?.save ?? null
    }
    case 'save event': {
      const seen = { id: `event-${each.event}`, version: await versionOf(db, 'events', `event-${each.event}`) }
      const accountId = each.by === 'boss' ? 'boss' : `account-${ADMINISTRATOR}`
      const event = eventOf(each.event, { ...each, capacity: each.capacity || null })
      return (await saveEvent(db, seen, event, { accountId, at })).ok?.save ?? null
    }
    case 'delete event': {
      const seen = { id: `event-${each.event}`, version: await versionOf(db, 'events', `event-${each.event}`) }
      return (await deleteEvent(db, seen, author)).ok?.save ?? null
    }
    case 'restore event':
      return (await restoreFromBin(db, eventRecord, `event-${each.event}`, author))?.save ?? null
    case 'revert event': {
      const revision = await db
        .selectFrom('revisions')
        .select('id')
        .where('subject', '=', 'event')
        .where('subjectId', '=', `event-${each.event}`)
        .where('version', '=', each.version)
        .executeTakeFirst()
      return (revision && (await revert(db, eventRecord, revision.id, author))?.save) ?? null
    }
    case 'add guest':
      return (
        (await addGuest(db, { id: `guest-${guest}`, eventId: `event-${each.event}`, name: '客' }, author)).ok ?? null
      )
    case 'remove guest': {
      const seen = { id: `guest-${each.guest}`, version: await versionOf(db, 'eventGuests', `guest-${each.guest}`) }
      return (await removeSeen(db, guestRecord, seen, author)).ok ?? null
    }
    case 'restore guest':
      return (await restoreFromBin(db, guestRecord, `guest-${each.guest}`, author))?.save ?? null
    case 'undo':
      return lastSave && undoSave(db, recordTypes, lastSave, author)
    default: {
      const id = `member-${each.member}`
      const own = { ...boss, accountId: `account-${each.member}`, staff: null }
      const member = { id, administrator: each.member === ADMINISTRATOR, admin: true }
      const visitor = each.by === 'boss' ? boss : { ...own, member }
      return (await manageMember(db, visitor, id, each.kind, { at, around: noNotices })).ok?.save ?? null
    }
  }
}

function toNull(error: unknown) {
  if (error instanceof Rejection) return null
  throw error
}

async function versionOf(db: Db, table: 'events' | 'eventGuests', id: string) {
  return (await db.selectFrom(table).select('version').where('id', '=', id).executeTakeFirst())?.version ?? 0
}

// Reads and deletes the e-mails, as `account place event`, sorted.
async function takeMails(db: Db) {
  const rows = await db.deleteFrom('outbox').where('channel', '=', 'mail').returning(['to', 'subject']).execute()
  const kinds = { withdrawal: '取り消し', coming: '参加になりました', waiting: 'キャンセル待ちになりました' }
  return rows
    .map(({ to, subject }) => {
      const kind = Object.entries(kinds).find(([, words]) => subject.includes(words))?.[0]
      return `${to?.replace('@example.jp', '')} ${kind} ${/会(\d)/.exec(subject)?.[1]}`
    })
    .sort()
}

async function readKnownPlaces(db: Db, model: PlacesModel, event: number) {
  const rows = await db
    .selectFrom('answers')
    .select(['memberId', 'toldPlace'])
    .where('eventId', '=', `event-${event}`)
    .where('answer', '=', 'yes')
    .orderBy('turn')
    .execute()
  const places = rows.map(({ memberId, toldPlace }) => [Number(memberId.replace('member-', '')), toldPlace] as const)
  return new Map(
    places.filter(([member]) => model.isActive(member)).map(([member, place]) => [`${member} ${event}`, place]),
  )
}
