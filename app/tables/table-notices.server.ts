import type { Trx } from '../../db/tables.ts'
import { type Booking, bookingsPath, guestPath, startOfBooking, timeOfBooking } from '../bookings/booking.ts'
import { formatDay } from '../dates/month.ts'
import { japanese, languageCode, pathIn } from '../languages/language.ts'
import { languages, runInLanguage } from '../languages/languages.server.ts'
import { enqueue } from '../mail/outbox.server.ts'
import * as mails from '../mail/table-mails.ts'
import { enqueueNotification } from '../push/notifications.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { formatTableTime } from './table-words.ts'

const URGENT_MS = 12 * 60 * 60_000

export type NoticeDependencies = { clock: () => number; origin: string }

/** `event` names the change within the booking, so that each change sends one e-mail. */
type Notice = { booking: Booking; site: SiteSettings; event: string }

/** Enqueues an e-mail to the guest, in the guest's language. Does nothing if there is no e-mail address. */
export async function enqueueGuestMail(
  trx: Trx,
  kind: mails.GuestTableMail,
  { booking, site, event, name = '', reply = '' }: Notice & { name?: string; reply?: string },
  { clock, origin }: NoticeDependencies,
) {
  const { id, email: to, language } = booking
  if (!to) return
  const { name: shop, telephone, recipients } = site
  const mail = runInLanguage(languages.find(({ code }) => code === language) ?? japanese, () => {
    const url = `${origin}${pathIn(languageCode(), guestPath(id))}`
    return mails.guestTableMail(kind, { shop, telephone, name, reply, url, facts: factsOf(booking) })
  })
  const once = { at: new Date(clock()).toISOString(), onceKey: `${onceKeyPrefix(id)}${event} guest` }
  await enqueue(trx, { to, replyTo: recipients.shop || null, ...mail }, once)
}

/** Notifies the shop by e-mail and on devices. Notifications contain no name and no contact data. */
export async function notifyShop(
  trx: Trx,
  kind: mails.ShopTableMail,
  { booking, site, event }: Notice,
  { clock, origin }: NoticeDependencies,
) {
  const { id, name, telephone, email, wish } = booking
  const at = new Date(clock()).toISOString()
  const path = bookingsPath(timeOfBooking(booking).day)
  const facts = runInLanguage(japanese, () => factsOf(booking))
  const lines = [`${name} 様`, telephone, email, wish].filter(Boolean)
  const mail = mails.shopTableMail(kind, { shop: site.name, url: `${origin}${path}`, facts, lines })
  const onceKey = `${onceKeyPrefix(id)}${event} shop`
  await enqueue(trx, { to: { recipient: 'shop' }, replyTo: email || null, ...mail }, { at, onceKey })
  const urgent = kind === 'unanswered' || startOfBooking(booking) - clock() <= URGENT_MS
  const texts = { title: mails.shopTableTitle(kind), body: mails.formatTableFacts(facts) }
  await enqueueNotification(trx, { kind: 'table', ...texts, path, urgent }, { at })
}

/** Returns the start of the `onceKey` of each e-mail about the booking. */
export function onceKeyPrefix(id: string) {
  return `booking ${id} `
}

function factsOf(booking: Booking) {
  const { day, time } = timeOfBooking(booking)
  return { day: formatDay(day), time: formatTableTime(time), party: booking.party }
}
