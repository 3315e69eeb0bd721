import {
  type Booking,
  bookingStates,
  bookingsPath,
  hasPassed,
  StaffBooking,
  TableAnswer,
  takesSeats,
  timeOfBooking,
} from '../bookings/booking.ts'
import { bookingRecord } from '../bookings/booking-record.server.ts'
import { addBooking, changeBooking, lockDay, readBooking } from '../bookings/bookings.server.ts'
import { formatDay, isDay } from '../dates/month.ts'
import { formAction, type Submission } from '../forms/form-action.server.ts'
import { runOnce, submissionKeyOf } from '../forms/idempotency.server.ts'
import { denied, Rejection, unwrap } from '../forms/outcome.ts'
import { parseFields, parseValues } from '../forms/read-fields.ts'
import { undoOf } from '../forms/save-result.ts'
import { refusalOfAdministration, refusalOfBookings } from '../permissions.ts'
import { removeOnce } from '../records/own-saves.server.ts'
import { readSite, readSiteToEdit, saveSite } from '../settings/site.server.ts'
import type { BookingResult } from './booking-form.tsx'
import { isCallNeeded, warnOfLimits } from './bookings-of-staff.server.ts'
import { formatTableDay } from './table-words.ts'

const fields = [
  ...['intent', 'booking', 'version', 'once', 'state', 'reply', 'offer', 'came', 'takes'],
  ...Object.keys(StaffBooking.shape),
]

export const bookingAction = formAction(
  { fields, several: { party: 2 }, intentOf: (field) => `${field('intent')} ${field('booking')}`.trim() },
  async (submission) => {
    const { db, visitor, field } = submission
    const intent = field('intent')
    if (!(await readSite(db)).takesTableRequests) throw new Rejection('お席のお申し込みは受け付けていません。', 404)
    const refusal = intent === 'day' ? refusalOfAdministration(visitor) : refusalOfBookings(visitor)
    if (refusal) throw denied(visitor, refusal)
    if (intent === 'answer') return answerGuest(submission)
    if (intent === 'enter') return enterBooking(submission)
    if (intent === 'came') return recordVisit(submission)
    if (intent === 'delete') return deleteBooking(submission)
    if (intent === 'day') return switchDay(submission)
    throw new Rejection('操作を選び直してください。', 400)
  },
)

const answerLabels: Record<TableAnswer['state'], string> = {
  accepted: 'お席を確定しました。',
  offered: '別の時間をご案内しました。',
  declined: 'お断りしました。',
  cancelled: '取り消しました。',
}

async function answerGuest(submission: Submission) {
  const { field } = submission
  const [offeredDay, offeredTime] = field('offer').split(' ')
  const answer = parseValues(TableAnswer, { state: field('state'), reply: field('reply'), offeredDay, offeredTime })
  const { booking, undo } = await changeSeen(submission, (booking) =>
    (answer.state === 'cancelled' ? takesSeats(booking) : booking.state === 'asked') ? { ...answer, came: null } : null,
  )
  const call =
    booking.telephone && isCallNeeded(booking, submission) ? `${booking.telephone} へお電話でお伝えください。` : ''
  return { done: `${booking.name} 様：${answerLabels[answer.state]}${call}`, undo }
}

/** Adds a booking of the staff, or changes the booking of the form. The limits only cause a warning. */
async function enterBooking(submission: Submission) {
  const { db, url, form, field, author } = submission
  const values = { ...parseFields(StaffBooking, form), state: 'accepted' as const }
  const addOnce = async () => {
    const save = await runOnce(db, submissionKeyOf(submission, 'booking'), async (trx) => {
      await lockDay(trx, values.day)
      return addBooking(trx, { ...values, id: crypto.randomUUID(), byStaff: true }, author)
    })
    return save ? undoOf(save) : undefined
  }
  const change = () =>
    changeSeen(submission, async ({ state, day, time }, trx) => {
      await lockDay(trx, values.day)
      const isSameTable = state === 'accepted' && day === values.day && time === values.time
      return { ...values, offeredDay: null, offeredTime: null, ...(!isSameTable && { reply: '', came: null }) }
    })
  const undo = field('booking') ? (await change()).undo : await addOnce()
  const warning = await warnOfLimits(db, await readSite(db), { ...values, party: 0 })
  const done = `${values.name} 様（${values.party}名）を保存しました。${warning}`
  const isMoved = field('booking') && ![null, values.day].includes(url.searchParams.get('day'))
  return { done, ...(undo && { undo }), ...(isMoved && { to: pathOfList(submission) }) }
}

async function recordVisit(submission: Submission) {
  const { clock, field } = submission
  if (!['yes', 'no'].includes(field('came'))) throw new Rejection('来店か来店なしを選んでください。', 400)
  const came = field('came') === 'yes'
  const { booking, undo } = await changeSeen(submission, (booking) => {
    if (!hasPassed(booking, clock())) throw new Rejection('来店は、お席の時刻になってから記録できます。')
    return booking.state === 'accepted' ? { came } : null
  })
  return { done: `${booking.name} 様を「${came ? '来店' : '来店なし'}」にしました。`, undo }
}

const messages = { missing: 'このお申し込みは見つかりません。すでに削除されているようです。' }

async function deleteBooking(submission: Submission) {
  const removed = await removeOnce(submission.db, bookingRecord, refOf(submission), submission.author)
  return { done: '削除しました。', undo: undoOf(unwrap(removed, messages)), to: pathOfList(submission) }
}

/** Path of the list without the form of a booking. */
function pathOfList({ url }: Submission) {
  return bookingsPath(url.searchParams.get('day') ?? '')
}

function refOf({ field, seen, url }: Submission) {
  return { id: field('booking') || (url.searchParams.get('booking') ?? ''), ...seen }
}

/** Changes the booking of the form. A conflict names the stored state, and the stored values for the form with all fields. */
async function changeSeen(submission: Submission, changesOf: Parameters<typeof changeBooking>[2]) {
  const { db, author, field } = submission
  const saved = await changeBooking(db, refOf(submission), changesOf, author)
  const booking = (await readBooking(db, refOf(submission).id)) as Booking
  if (saved.error === 'conflict') {
    const trouble = `ほかの方が先に変更しました。現在は「${bookingStates[booking.state]}」です。`
    if (field('intent') !== 'enter') throw new Rejection(trouble)
    const stored = `保存されている内容：${describeBooking(booking)}。見比べて、よろしければもう一度保存してください。`
    const result: BookingResult = { trouble: trouble + stored, newer: booking.version }
    throw new Rejection(result)
  }
  return { undo: undoOf(unwrap(saved, messages)), booking }
}

function describeBooking(booking: Booking) {
  const { day, time } = timeOfBooking(booking)
  const { party, name, telephone, wish } = booking
  return [formatTableDay(day, time), `${party}名`, `${name} 様`, telephone, wish].filter(Boolean).join('、')
}

async function switchDay({ db, field, author }: Submission) {
  const day = field('day')
  if (!isDay(day)) throw new Rejection('日を選んでください。', 400)
  const { version, facts } = await readSiteToEdit(db)
  const others = facts.tableDaysWithout.filter((each) => each !== day)
  const tableDaysWithout = field('takes') ? others : [...others, day]
  const save = unwrap(await saveSite(db, { version, facts: { tableDaysWithout } }, author))
  const [name, takes] = [formatDay(day), field('takes') !== '']
  const done = takes ? `${name}は、お申し込みを受け付けます。` : `${name}は、お申し込みを受け付けません。`
  return { done, ...(save && { undo: undoOf(save) }) }
}
