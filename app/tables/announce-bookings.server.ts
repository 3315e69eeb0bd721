import type { Transaction } from 'kysely'
import type { BookingRow, Tables } from '../../db/tables.ts'
import { hasPassed, takesSeats, timeOfBooking } from '../bookings/booking.ts'
import { bookingRecord } from '../bookings/booking-record.server.ts'
import type { GuestTableMail, ShopTableNotice } from '../mail/table-mails.ts'
import { listChanges } from '../records/revisions.server.ts'
import { readSite } from '../settings/site.server.ts'
import { enqueueGuestMail, type NoticeDependencies, notifyShop } from './table-notices.server.ts'

/** The first and the last state of a booking in a transaction. A booking in the bin is null. */
type Change = { before: BookingRow | null; after: BookingRow | null }

/**
 * Notifies the guest and the shop of the changes of coming bookings in this transaction. Runs before the commit, so
 * that a transaction sends at most one e-mail per booking and recipient. Omits what the shop itself does from the
 * notices to the shop.
 */
export async function announceBookings(trx: Transaction<Tables>, deps: NoticeDependencies) {
  const changes = listChanges(trx).filter(({ subject }) => subject === bookingRecord.subject)
  if (changes.length === 0) return
  const site = await readSite(trx)
  if (!site.takesTableRequests) return
  for (const [, own] of Map.groupBy(changes, ({ subjectId }) => subjectId)) {
    const change = { before: own[0]?.before ?? null, after: own.at(-1)?.after ?? null } as Change
    const booking = change.after ?? change.before
    if (!booking || hasPassed(booking, deps.clock())) continue
    const isByGuest = own.every(({ accountId }) => accountId === null)
    const event = String(change.after?.version ?? booking.version + 1)
    const notice = { booking, site, event }
    const guestMail = isByGuest ? mailOfGuestChange(change) : mailOfShopChange(change)
    if (guestMail) await enqueueGuestMail(trx, guestMail, { ...notice, ...textsOf(change, isByGuest) }, deps)
    const shopNotice = isByGuest && guestMail && shopNotices[guestMail]
    if (shopNotice) await notifyShop(trx, shopNotice, notice, deps)
  }
}

const shopNotices: Partial<Record<GuestTableMail, ShopTableNotice>> = {
  received: 'asked',
  changed: 'changed',
  accepted: 'accepted',
  withdrawn: 'cancelled',
}

function mailOfGuestChange({ before, after }: Change): GuestTableMail | null {
  if (after?.state === 'asked') return before ? 'changed' : 'received'
  if (after && before?.state === after.state) return null
  return after?.state === 'accepted' ? 'accepted' : 'withdrawn'
}

function mailOfShopChange({ before, after }: Change): GuestTableMail | null {
  const [from, to] = [before?.state ?? 'cancelled', after?.state ?? 'cancelled']
  if (to === 'cancelled') return before && takesSeats(before) ? 'cancelled' : null
  if (from !== to) return to === 'asked' ? 'undone' : to
  if (!before || !after) return null
  if (isMoved(before, after)) return to === 'offered' ? 'offered' : takesSeats(after) ? 'moved' : null
  return to !== 'asked' && after.reply && after.reply !== before.reply ? to : null
}

function isMoved(before: BookingRow, after: BookingRow) {
  const [from, to] = [timeOfBooking(before), timeOfBooking(after)]
  return from.day !== to.day || from.time !== to.time || before.party !== after.party
}

// The e-mail about a guest's own change goes to an address that nobody has verified. Without the guest's texts, the
// e-mail is useless for spam.
function textsOf({ before, after }: Change, isByGuest: boolean) {
  if (isByGuest || !after) return {}
  return { name: after.name, reply: after.reply === before?.reply ? '' : after.reply }
}
