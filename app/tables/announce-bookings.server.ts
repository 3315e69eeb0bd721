import type { BookingRow, Trx } from '../../db/tables.ts'
import { hasPassed, takesSeats, timeOfBooking } from '../bookings/booking.ts'
import { bookingRecord } from '../bookings/booking-record.server.ts'
import type { GuestTableMail } from '../mail/table-mails.ts'
import { listChanges } from '../records/revisions.server.ts'
import { readSite } from '../settings/site.server.ts'
import { enqueueGuestMail, type NoticeDependencies, notifyShop } from './table-notices.server.ts'

/**
 * Notifies the guest and the shop of the changes of coming bookings in this transaction. Runs before the commit, so
 * that a transaction sends at most one e-mail per booking and recipient. The shop is only notified of what guests do.
 */
export async function announceBookings(trx: Trx, deps: NoticeDependencies) {
  const changes = listChanges(trx).filter(({ subject }) => subject === bookingRecord.subject)
  if (changes.length === 0) return
  const site = await readSite(trx)
  if (!site.takesTableRequests) return
  for (const [, own] of Map.groupBy(changes, ({ subjectId }) => subjectId)) {
    const [before, after] = [own[0]?.before, own.at(-1)?.after] as [State, State]
    const booking = after ?? before
    if (!booking || hasPassed(booking, deps.clock())) continue
    const notice = { booking, site, event: String(after?.version ?? booking.version + 1) }
    if (own.some(({ accountId }) => accountId !== null)) {
      const mail = mailOfShopChange(before, after)
      const reply = after && after.reply !== before?.reply ? after.reply : ''
      if (mail) await enqueueGuestMail(trx, mail, { ...notice, name: booking.name, reply }, deps)
      continue
    }
    const mail = mailOfGuestChange(before, after)
    if (!mail) continue
    // Nobody has verified the address. Without the guest's texts, the e-mail is useless for spam.
    await enqueueGuestMail(trx, mail, notice, deps)
    await notifyShop(trx, mail, notice, deps)
  }
}

/** Null if the booking does not exist or is in the bin. */
type State = BookingRow | null

function mailOfGuestChange(before: State, after: State) {
  if (after?.state === 'asked') return before ? 'changed' : 'received'
  if (after && before?.state === after.state) return null
  return after?.state === 'accepted' ? 'accepted' : 'cancelled'
}

function mailOfShopChange(before: State, after: State): GuestTableMail | null {
  const [from, to] = [before?.state ?? 'cancelled', after?.state ?? 'cancelled']
  if (to === 'cancelled') return before && takesSeats(before) ? 'cancelled' : null
  if (from !== to) return to === 'asked' ? 'undone' : to
  if (!before || !after) return null
  const [known, current] = [timeOfBooking(before), timeOfBooking(after)]
  const isMoved = known.day !== current.day || known.time !== current.time || before.party !== after.party
  if (isMoved) return to === 'offered' ? 'offered' : takesSeats(after) ? 'moved' : null
  return to !== 'asked' && after.reply && after.reply !== before.reply ? to : null
}
