import { useState } from 'react'
import { data, Form } from 'react-router'
import { bookingsPath, compareTimes, hasPassed, takesSeats } from '../bookings/booking.ts'
import { listBookings } from '../bookings/bookings.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { addDays, type Day, formatFullDay, isDay } from '../dates/month.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { DeleteRecord } from '../forms/delete-record.tsx'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { businessDayAt, weekdayNameOf } from '../hours/business-day.ts'
import { readDays, readSpecialDay } from '../hours/business-days.server.ts'
import { listDisplacedBookings } from '../hours/displaced-bookings.server.ts'
import { linkToNotice } from '../hours/notice-of-days.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { mayEditSite, refusalOfBookings } from '../permissions.ts'
import { readHistory } from '../records/history.server.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { contextOf } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { useBrowserSupport } from '../ui/use-browser-support.ts'
import { useEveryMinute } from '../ui/use-time.ts'
import type { Route } from './+types/bookings-page.ts'
import { bookingAction } from './booking-actions.server.ts'
import { AnswerForm, BookingCard, bookingPath, CallHint, formatTotal, Requests } from './booking-card.tsx'
import { BookingForm } from './booking-form.tsx'
import styles from './bookings.module.css'
import { listRequests, listTimesOfStaff, type ShownBooking, showBooking } from './bookings-of-staff.server.ts'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, clock } = contextOf(context)
  const site = await readSite(db)
  if (!site.takesTableRequests) throw data(null, 404)
  assertAllowed(refusalOfBookings(visitor))
  const asOf = clock()
  const today = businessDayAt(asOf, await readDays(db, addDays(dayInJapan(asOf), -1), 1))
  const requestedDay = url.searchParams.get('day') ?? ''
  const day = isDay(requestedDay) ? requestedDay : today
  const displaced = await listDisplacedBookings(db, asOf)
  const bookings = (await listBookings(db, day, day)).map((booking) => showBooking(context, booking, displaced))
  const chosenId = url.searchParams.get('booking')
  const special = await readSpecialDay(db, day)
  const isDayOff = site.tableDaysWithout.includes(day)
  const isWeekdayOff = site.tableDaysWithout.includes(weekdayNameOf(day))
  return {
    ...{ asOf, day, bookings, chosenId },
    requests: await listRequests(context, site),
    displaced: displaced.map((booking) => showBooking(context, booking, displaced)),
    notice: special?.slots ? linkToNotice([day], { ...special, slots: special.slots }, today).next : undefined,
    times: await listTimesOfStaff(db, site, day, asOf),
    history: chosenId ? await readHistory(context, { subject: 'booking', id: chosenId, url }) : null,
    daySwitch: mayEditSite(visitor) && !isWeekdayOff ? { isDayOff } : null,
  }
}

export const action = bookingAction

export const handle = { cache: 'none', title: 'お席' }

export default function BookingsPage({ loaderData }: Route.ComponentProps) {
  const { asOf, day, bookings, chosenId, requests, displaced, notice, times, history, daySwitch } = loaderData
  const listed = useListedBookings(bookings, chosenId)
  const canPrint = useBrowserSupport('print')
  const now = useEveryMinute(asOf)
  return (
    <div className={`${page.page} ${page.narrow} ${styles.page}`}>
      <LiveUpdates topics={['bookings', 'hours', 'specialDays', 'site']} />
      <PageTitle title="お席" english="Tables" />
      <Requests requests={requests} />
      {displaced.length > 0 && (
        <section className={styles.requests} aria-labelledby="displaced">
          <h2 id="displaced">{`営業時間の外になったお席 ${displaced.length}件`}</h2>
          <ul>
            {displaced.map((booking) => (
              <BookingCard key={booking.id} booking={booking} withDay>
                <CallHint booking={booking} />
                <AnswerForm booking={booking} state="cancelled" label="お断りのお返事を送る" />
              </BookingCard>
            ))}
          </ul>
          {notice && <LinkButton to={notice.to}>{notice.label}</LinkButton>}
        </section>
      )}
      <section className={styles.day} aria-labelledby="day">
        <DayLinks day={day} />
        <h2 id="day">
          {`${formatFullDay(day)} `}
          <small className={styles.count}>{formatTotal(bookings)}</small>
        </h2>
        <details className={styles.entry}>
          <summary>お電話のお申し込みを書き込む</summary>
          <BookingForm key={day} day={day} times={times} />
        </details>
        {listed.length === 0 && <p>この日のお席は、まだありません。</p>}
        <ul>
          {listed.map((booking) => (
            <BookingCard key={booking.id} booking={booking}>
              {booking.isDisplaced && <p className={styles.warning}>営業時間の外です。</p>}
              <div className={styles.tools}>
                {booking.state === 'accepted' && hasPassed(booking, now) && <Visit booking={booking} />}
                <LinkButton
                  to={booking.id === chosenId ? bookingsPath(day) : bookingPath(booking)}
                  aria-label={`${booking.name} 様：${booking.id === chosenId ? '閉じる' : '変更・取り消し'}`}
                  preventScrollReset
                >
                  {booking.id === chosenId ? '閉じる' : '変更・取り消し'}
                </LinkButton>
              </div>
              {booking.id === chosenId && (
                <div className={styles.chosen}>
                  <BookingForm {...{ day, times, booking }} />
                  {takesSeats(booking) && <CallHint booking={booking} />}
                  {takesSeats(booking) && <AnswerForm booking={booking} state="cancelled" label="取り消す" />}
                  <DeleteRecord label="削除する" name={`${booking.name} 様`} version={booking.version} />
                  {history && <HistoryPanel history={history} />}
                </div>
              )}
            </BookingCard>
          ))}
        </ul>
        <div className={styles.tools}>
          {canPrint && <Button onClick={() => window.print()}>印刷する</Button>}
          {daySwitch && <DaySwitch key={day} day={day} {...daySwitch} />}
        </div>
      </section>
    </div>
  )
}

// Another editor may delete the booking of the open form, or move it to another day. The form then keeps its input, and
// its save reports the change.
function useListedBookings(bookings: ShownBooking[], chosenId: string | null) {
  const chosen = bookings.find(({ id }) => id === chosenId)
  const [seen, setSeen] = useState(chosen)
  if (chosen && chosen !== seen) setSeen(chosen)
  const isGone = !chosen && seen !== undefined && seen.id === chosenId
  return isGone ? [...bookings, seen].sort(compareTimes) : bookings
}

function DayLinks({ day }: { day: Day }) {
  return (
    <nav aria-label="日を選ぶ" className={styles.tools}>
      <LinkButton to={bookingsPath(addDays(day, -1))} preventScrollReset>
        前の日
      </LinkButton>
      <LinkButton to={bookingsPath(addDays(day, 1))} preventScrollReset>
        次の日
      </LinkButton>
      <Form action="/tables" preventScrollReset className={styles.tools}>
        <input key={day} type="date" name="day" defaultValue={day} aria-label="日" required />
        <Button type="submit">表示する</Button>
      </Form>
    </nav>
  )
}

function Visit({ booking: { id, version, came } }: { booking: ShownBooking }) {
  const save = useSave({ intents: [`came ${id}`] })
  return (
    <>
      <SaveForm save={save} className={styles.tools} hiddenFields={{ intent: 'came', booking: id, version }}>
        <Button type="submit" name="came" value="yes" aria-pressed={came === true} aria-disabled={save.busy}>
          来店
        </Button>
        <Button type="submit" name="came" value="no" aria-pressed={came === false} aria-disabled={save.busy}>
          来店なし
        </Button>
      </SaveForm>
      <Outcome save={save} />
    </>
  )
}

function DaySwitch({ day, isDayOff }: { day: Day; isDayOff: boolean }) {
  const save = useSave({ intents: ['day'] })
  return (
    <>
      <SaveForm save={save} hiddenFields={{ intent: 'day', day }}>
        <Button type="submit" name="takes" value={isDayOff ? 'yes' : ''} aria-disabled={save.busy}>
          {isDayOff ? 'この日のお申し込みを受け付ける' : 'この日はお申し込みを受け付けない'}
        </Button>
      </SaveForm>
      <Outcome save={save} />
    </>
  )
}
