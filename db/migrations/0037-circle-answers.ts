import type { Kysely } from 'kysely'
import { addColumnWithDefault, addTexts } from '../migration-steps.ts'

type Answer = { eventId: string; memberId: string; answer: string; turn: number; toldPlace: string }
type Event = { id: string; capacity: number | null }
type Member = { id: string; administrator: number; admin: number; deletedAt: string | null }

/** Adds companions and attendance to answers, guests without an account, and resting members. */
export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ answers: Answer; events: Event; members: Member }>
  await addColumnWithDefault(db, 'answers', 'companions', 0)
  await db.schema.alterTable('answers').addColumn('came', 'integer').execute()
  await addColumnWithDefault(db, 'answers', 'toldPlace', '')
  await addColumnWithDefault(db, 'members', 'resting', 0)
  await db.schema
    .createTable('eventGuests')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .$call(addTexts('eventId', 'name'))
    .addColumn('turn', 'integer', (column) => column.notNull())
    .addColumn('came', 'integer')
    .$call(addTexts('createdAt', 'updatedAt'))
    .addColumn('deletedAt', 'text')
    .execute()
  await db.schema.createIndex('eventGuestsByEvent').on('eventGuests').column('eventId').execute()
  await rememberPlaces(db)
}

// Without the places that the pages have shown so far, the first move after the update would send no e-mail.
async function rememberPlaces(db: Kysely<{ answers: Answer; events: Event; members: Member }>) {
  const answers = await db
    .selectFrom('answers')
    .innerJoin('events', 'events.id', 'eventId')
    .innerJoin('members', 'members.id', 'memberId')
    .select(['eventId', 'memberId', 'capacity'])
    .where('answer', '=', 'yes')
    .where('members.deletedAt', 'is', null)
    .where((eb) => eb.or([eb('admin', '=', 1), eb('administrator', '=', 1)]))
    .orderBy('turn')
    .execute()
  for (const [eventId, queue] of Map.groupBy(answers, (answer) => answer.eventId))
    for (const [index, { memberId, capacity }] of queue.entries())
      await db
        .updateTable('answers')
        .set({ toldPlace: index < (capacity ?? queue.length) ? 'coming' : 'waiting' })
        .where('eventId', '=', eventId)
        .where('memberId', '=', memberId)
        .execute()
}
