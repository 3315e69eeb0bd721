import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import {
  type Booking,
  hasPassed,
  type TableRequest,
  type TableWish,
  takesSeats,
  timeOfBooking,
} from '../bookings/booking.ts'
import { addBooking, changeBooking, lockDay, unanswered } from '../bookings/bookings.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { tooManyMessages } from '../forms/too-many-messages.ts'
import { t } from '../languages/language.ts'
import { countAttempt } from '../platform/attempts.server.ts'
import { formatTelephones } from '../platform/telephone.server.ts'
import type { RecordRef } from '../records/record.ts'
import type { Author } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { listTableTimes } from './table-times.server.ts'
import { DAY_IS_FULL, formatTableTime } from './table-words.ts'

type Arrival = { address: string | null; now: number; author: Author }

/**
 * Stores a request for a table. A repeated request with the same ID changes nothing. Returns 'asked differently' if its
 * content differs. Throws a `Rejection` if the shop has deleted the first request, or if the limits of the shop, the
 * guest's network or e-mail address are reached.
 */
export function askForTable(
  db: Db,
  request: TableRequest & Pick<Booking, 'id' | 'language'>,
  { address, now, author }: Arrival,
) {
  return inTransaction(db, async (trx): Promise<'asked' | 'asked differently'> => {
    await lockDay(trx, request.day)
    const stored = await trx.selectFrom('bookings').selectAll().where('id', '=', request.id).executeTakeFirst()
    if (stored?.deletedAt) throw new Rejection(REQUEST_DELETED, 409)
    if (stored) return isSameRequest(stored, request) ? 'asked' : 'asked differently'
    const site = await readSite(trx)
    // The rejection also rolls back the count, which would otherwise grow without end.
    if (await countAttempt(trx, 'tableRequest', { account: request.email, address, now }))
      throw new Rejection(tooManyMessages(formatTelephones(site.telephone)), 429)
    await requireTable(trx, site, { ...request, now })
    await addBooking(trx, { ...request, state: 'asked', byStaff: false }, asGuest(author))
    return 'asked'
  })
}

const REQUEST_DELETED =
  '通信が切れる前に送った内容で承ったお申し込みは、お店で取り消されています。お席をご希望のときは、お手数ですが、このページを開き直してからお申し込みいただくか、お電話でお問い合わせください。'

function isSameRequest(stored: Booking, request: Partial<Booking>) {
  return Object.entries(request).every(([name, value]) => stored[name as keyof Booking] === value)
}

/** Whether the guest may still change, accept or cancel. */
function mayGuestAnswer(booking: Booking, now: number) {
  return takesSeats(booking) && !hasPassed(booking, now)
}

/** Accepts the time that the shop offers, or cancels the booking, for its guest. */
export function answerOffer(
  db: Db,
  seen: RecordRef,
  answer: 'accept' | 'cancel',
  { now, author }: Omit<Arrival, 'address'>,
) {
  return changeBooking(
    db,
    seen,
    (booking) => {
      if (!mayGuestAnswer(booking, now)) return null
      if (answer === 'cancel') return { state: 'cancelled', reply: '' }
      if (booking.state !== 'offered') return null
      return { state: 'accepted', ...timeOfBooking(booking), offeredDay: null, offeredTime: null, reply: '' }
    },
    asGuest(author),
  )
}

/**
 * Replaces the wish of a guest. The booking becomes an unanswered request. Throws a `Rejection` if the shop cannot take
 * the wish, or after too many changes, because each change notifies the shop.
 */
export function changeRequest(db: Db, seen: RecordRef, wish: TableWish, { now, author }: Omit<Arrival, 'address'>) {
  return changeBooking(
    db,
    seen,
    async (booking, trx) => {
      if (!mayGuestAnswer(booking, now)) return null
      await lockDay(trx, wish.day)
      if (await countAttempt(trx, 'tableChange', { account: booking.id, now }))
        throw new Rejection(t('変更の回数が多すぎます。お手数ですが、お電話でお問い合わせください。'), 429)
      await requireTable(trx, await readSite(trx), { ...wish, now, except: booking.id })
      return { ...wish, state: 'asked', askedAt: author.at, ...unanswered }
    },
    asGuest(author),
  )
}

// A guest who is signed in has no other rights than others, and stays unnamed in the history.
function asGuest(author: Author): Author {
  return { ...author, accountId: null }
}

/** Throws a `Rejection` if guests cannot ask for this day, time or number of guests, or if too few seats are left. */
async function requireTable(
  trx: Trx,
  site: SiteSettings,
  { time, ...wish }: TableWish & { now: number; except?: string },
) {
  const times = await listTableTimes(trx, site, wish)
  const found = times.find((each) => each.time === time)
  if (!found) throw new Rejection({ errors: { time: [NO_TABLE] } }, 400)
  if (found.isFree) return
  const free = times.filter(({ isFree }) => isFree).map((each) => formatTableTime(each.time))
  const others = free.length > 0 ? t('空いているお時間：{times}', { times: free.join(t('、')) }) : t(DAY_IS_FULL)
  const sentence = t('{time}は満席になりました。', { time: formatTableTime(time) })
  throw new Rejection({ errors: { time: [sentence, others] } }, 409)
}

const NO_TABLE = 'この日時と人数では、お申し込みいただけません。ほかの日時をお選びください。'
