import type { Kysely } from 'kysely'

type Answer = { eventId: string; memberId: string; answer: string; turn: number; toldPlace: string }
type Event = { id: string; capacity: number | null }
type Member = { id: string; administrator: number; admin: number; deletedAt: string | null }

/** Adds companions and attendance to answers, guests without an account, and resting members. */
export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ answers: Answer; events: Event; members: Member }>
  await db.schema
    .alterTable('answers')
    .addColumn('companions', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('answers').addColumn('came', 'integer').execute()
  await db.schema
    .alterTable('answers')
    .addColumn('toldPlace', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema
    .alterTable('members')
    .addColumn('resting', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('eventGuests')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('eventId', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('turn', 'integer', (column) => column.notNull())
    .addColumn('came', 'integer')
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .addColumn('updatedAt', 'text', (column) => column.notNull())
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
