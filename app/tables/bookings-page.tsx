import { data, Form, Link } from 'react-router'
import { type Booking, bookingsPath, startOfBooking, takesSeats } from '../bookings/booking.ts'
import { listBookings } from '../bookings/bookings.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { addDays, type Day, formatFullDay, isDay, weekdayOf } from '../dates/month.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { DeleteRecord } from '../forms/delete-record.tsx'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { weekdays } from '../hours/business-day.ts'
import { readSpecialDay } from '../hours/business-days.server.ts'
import { listDisplacedBookings } from '../hours/displaced-bookings.server.ts'
import { linkToNotice } from '../hours/notice-of-days.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { mayEditSite, refusalOfBookings } from '../permissions.ts'
import { readHistory } from '../records/history.server.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { contextOf } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import disclosure from '../ui/disclosure.module.css'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { useBrowserSupport } from '../ui/use-browser-support.ts'
import { useEveryMinute } from '../ui/use-time.ts'
import type { Route } from './+types/bookings-page.ts'
import { AnswerForm, CallHint, Requests } from './answer-form.tsx'
import { bookingAction } from './booking-actions.server.ts'
import { BookingForm } from './booking-form.tsx'
import { BookingFacts, formatDayAndTime, formatTimeOf, NameAndParty } from './booking-words.tsx'
import styles from './bookings.module.css'
import { listRequests, listTimesOfStaff, type ShownBooking, showBooking } from './requests.server.ts'
import { formatTotal } from './tables-of-day.tsx'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, clock } = contextOf(context)
  const site = await readSite(db)
  if (!site.takesTableRequests) throw data(null, 404)
  assertAllowed(refusalOfBookings(visitor))
  const [asOf, today] = [clock(), dayInJapan(clock())]
  const requestedDay = url.searchParams.get('day') ?? ''
  const day = isDay(requestedDay) ? requestedDay : today
  const bookings = await listBookings(db, day, day)
  const id = url.searchParams.get('booking')
  const chosen = bookings.find((booking) => booking.id === id)
  const special = await readSpecialDay(db, day)
  return {
    ...{ asOf, today, day, bookings },
    requests: await listRequests(context, site),
    displaced: (await listDisplacedBookings(db, asOf)).map((booking) => showBooking(context, booking)),
    notice: special?.slots ? linkToNotice([day], { ...special, slots: special.slots }, today).next : undefined,
    times: await listTimesOfStaff(db, site, day, asOf),
    chosen: chosen ? showBooking(context, chosen) : null,
    history: chosen ? await readHistory(context, { subject: 'booking', id: chosen.id, url }) : null,
    mayEditSite: mayEditSite(visitor),
    isDayWithout: site.tableDaysWithout.includes(day),
    isWeekdayWithout: site.tableDaysWithout.includes(weekdays[weekdayOf(day)] ?? ''),
  }
}

export const action = bookingAction

export const handle = { cache: 'none', title: 'お席' }

export default function BookingsPage({ loaderData }: Route.ComponentProps) {
  const { asOf, day, today, bookings, requests, displaced, notice, times, chosen } = loaderData
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
              <li key={booking.id} className={styles.request}>
                <h3>
                  <Link to={linkTo(booking)}>{formatDayAndTime(booking)}</Link> <NameAndParty booking={booking} />
                </h3>
                <BookingFacts booking={booking} />
                <CallHint booking={booking} />
                <AnswerForm booking={booking} state="cancelled" label="お断りのお返事を送る" />
              </li>
            ))}
          </ul>
          {notice && <LinkButton to={notice.to}>{notice.label}</LinkButton>}
        </section>
      )}
      <section className={styles.day} aria-labelledby="day">
        <DayLinks day={day} today={today} />
        <h2 id="day">
          {`${formatFullDay(day)} `}
          <small>{formatTotal(bookings)}</small>
        </h2>
        <details className={`${disclosure.disclosure} ${styles.entry}`}>
          <summary>お電話のお申し込みを書き込む</summary>
          <BookingForm key={day} day={day} times={times} />
        </details>
        {bookings.length === 0 && <p className={styles.none}>この日のお席は、まだありません。</p>}
        <ul className={styles.bookings}>
          {bookings.map((booking) => (
            <li key={booking.id} className={takesSeats(booking) ? styles.booking : `${styles.booking} ${styles.gone}`}>
              <p className={styles.time}>{formatTimeOf(booking)}</p>
              <div>
                <h3>
                  <NameAndParty booking={booking} />
                </h3>
                <BookingFacts booking={booking} />
                {displaced.some(({ id }) => id === booking.id) && <p className={styles.warning}>営業時間の外です</p>}
              </div>
              <div className={styles.tools}>
                {booking.state === 'accepted' && startOfBooking(booking) <= now && <Visit booking={booking} />}
                <LinkButton
                  to={booking.id === chosen?.id ? bookingsPath(day) : linkTo(booking)}
                  preventScrollReset
                  aria-label={`${booking.name} 様：${booking.id === chosen?.id ? '閉じる' : '変更・取り消し'}`}
                >
                  {booking.id === chosen?.id ? '閉じる' : '変更・取り消し'}
                </LinkButton>
              </div>
              {booking.id === chosen?.id && (
                <ChosenBooking key={chosen.version} booking={chosen} {...{ day, times, history: loaderData.history }} />
              )}
            </li>
          ))}
        </ul>
        <div className={styles.tools}>
          {canPrint && bookings.length > 0 && <Button onClick={() => window.print()}>印刷する</Button>}
          {loaderData.mayEditSite && <DaySwitch key={day} {...loaderData} />}
        </div>
      </section>
    </div>
  )
}

function linkTo(booking: Booking) {
  return `${bookingsPath(booking.offeredDay && booking.state === 'offered' ? booking.offeredDay : booking.day)}&booking=${booking.id}`
}

function DayLinks({ day, today }: { day: Day; today: Day }) {
  return (
    <nav aria-label="日を選ぶ" className={styles.days}>
      <LinkButton to={bookingsPath(addDays(day, -1))} preventScrollReset>
        前の日
      </LinkButton>
      {day !== today && <LinkButton to="/tables">本日</LinkButton>}
      <LinkButton to={bookingsPath(addDays(day, 1))} preventScrollReset>
        次の日
      </LinkButton>
      <Form action="/tables" preventScrollReset>
        <input key={day} type="date" name="day" defaultValue={day} aria-label="日" required />
        <Button type="submit">表示する</Button>
      </Form>
    </nav>
  )
}

function Visit({ booking: { id, version, came } }: { booking: Booking }) {
  const save = useSave({ intents: [`came ${id}`] })
  return (
    <SaveForm save={save} className={styles.tools}>
      <input type="hidden" name="intent" value="came" />
      <input type="hidden" name="booking" value={id} />
      <input type="hidden" name="version" value={version} />
      {[true, false].map((value) => (
        <Button
          key={String(value)}
          type="submit"
          name="came"
          value={value ? 'yes' : 'no'}
          aria-pressed={came === value}
          aria-disabled={save.busy}
        >
          {value ? '来店' : '来店なし'}
        </Button>
      ))}
      <Outcome save={save} />
    </SaveForm>
  )
}

type ChosenProps = Pick<Route.ComponentProps['loaderData'], 'day' | 'times' | 'history'> & { booking: ShownBooking }

function ChosenBooking({ booking, day, times, history }: ChosenProps) {
  return (
    <div className={styles.chosen}>
      <BookingForm day={day} times={times} booking={booking} />
      {takesSeats(booking) && (
        <section aria-label="取り消し">
          <CallHint booking={booking} />
          <AnswerForm booking={booking} state="cancelled" label="取り消す" />
        </section>
      )}
      <DeleteRecord label="削除する" name={`${booking.name} 様`} version={booking.version} />
      {history && <HistoryPanel history={history} />}
    </div>
  )
}

type SwitchProps = Pick<Route.ComponentProps['loaderData'], 'day' | 'isDayWithout' | 'isWeekdayWithout'>

function DaySwitch({ day, isDayWithout, isWeekdayWithout }: SwitchProps) {
  const save = useSave({ intents: ['day'] })
  if (isWeekdayWithout) return <Notice>この曜日は、お申し込みを受け付けない設定です（お店の情報）。</Notice>
  return (
    <SaveForm save={save}>
      <input type="hidden" name="intent" value="day" />
      <input type="hidden" name="day" value={day} />
      <Button type="submit" name="takes" value={isDayWithout ? 'yes' : ''} aria-disabled={save.busy}>
        {isDayWithout ? 'この日のお申し込みを受け付ける' : 'この日はお申し込みを受け付けない'}
      </Button>
      <Outcome save={save} />
    </SaveForm>
  )
}
