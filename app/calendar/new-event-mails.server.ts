import type { Kysely } from 'kysely'
import { lock } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { dayInJapan } from '../dates/japan.ts'
import { addDays, formatDay } from '../dates/month.ts'
import { type NewEvent, newEventsMail } from '../mail/event-mails.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { readRecipients, selectApprovedMembers } from '../members/member-mails.server.ts'
import { readSite } from '../settings/site.server.ts'
import { answerUrl } from './answer-link.server.ts'
import { formatEventTime } from './event-format.ts'
import type { EventNoticeDependencies } from './event-notices.server.ts'
import { isRsvpClosed, rsvpDeadline } from './rsvp.ts'

/**
 * Notifies all approved members of the new events with RSVPs in one e-mail. Waits while a new event has changed after
 * `unchangedSince`, so that several additions share an e-mail.
 */
export async function announceNewEvents(unchangedSince: string, deps: EventNoticeDependencies) {
  // This read takes no lock, because most runs find no new event.
  if (!(await selectNewEvents(deps.db).select('id').executeTakeFirst())) return
  await inTransaction(deps.db, async (trx) => {
    await lock(trx, 'new events')
    const events = await selectNewEvents(trx).selectAll('events').orderBy('day').orderBy('id').execute()
    if (events.some(({ updatedAt }) => updatedAt > unchangedSince)) return
    const now = deps.clock()
    const today = dayInJapan(now)
    for (const event of events) {
      const lastDay = rsvpDeadline(event)
      // If the reminder is due already, this e-mail replaces it.
      const reminded = lastDay <= addDays(today, 1) ? lastDay : null
      const notice = trx.updateTable('eventNotices').set({ toldVersion: event.version, reminded })
      await notice.where('eventId', '=', event.id).execute()
    }
    const openEvents = events.filter((event) => !isRsvpClosed(event, today))
    if (openEvents.length === 0) return
    const { name: shop } = await readSite(trx)
    const members = await selectApprovedMembers(trx).select(['id', 'accountId', 'username']).execute()
    const { recipients } = await readRecipients(trx, 'event', members, deps)
    for (const { id: memberId, ...addressee } of recipients) {
      const listed = openEvents.map(
        (event): NewEvent => ({
          title: event.title,
          day: formatDay(event.day),
          time: formatEventTime(event),
          deadline: event.deadline && formatDay(event.deadline),
          url: answerUrl(deps, { memberId, eventId: event.id }),
        }),
      )
      await enqueue(trx, newEventsMail({ ...addressee, shop }, listed), { at: new Date(now).toISOString() })
    }
  })
}

function selectNewEvents(db: Kysely<Tables>) {
  return db
    .selectFrom('events')
    .innerJoin('eventNotices', 'eventId', 'id')
    .where('toldVersion', '=', 0)
    .where('attendance', '=', true)
    .where('deletedAt', 'is', null)
}
