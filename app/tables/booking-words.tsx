import { type Booking, bookingStates, minutesOf, timeOfBooking } from '../bookings/booking.ts'
import { type Day, formatDay } from '../dates/month.ts'
import { formatMinutes } from '../hours/business-day.ts'
import { Telephones } from '../ui/telephones.tsx'
import styles from './bookings.module.css'

export function formatTimeOfDay(time: string) {
  return formatMinutes(minutesOf(time))
}

export function formatTimeOf(booking: Booking) {
  return formatTimeOfDay(timeOfBooking(booking).time)
}

export function formatDayAndTime({ day, time }: { day: Day; time: string }) {
  return `${formatDay(day)} ${formatTimeOfDay(time)}`
}

export function NameAndParty({ booking: { name, party } }: { booking: Booking }) {
  return (
    <>
      {`${name} 様 `}
      <small>{`${party}名`}</small>
    </>
  )
}

/** State, contact and wish of a booking. */
export function BookingFacts({ booking }: { booking: Booking }) {
  const { state, came, telephone, email, wish, language, byStaff } = booking
  return (
    <>
      <p className={styles.facts}>
        <span className={styles.state} data-state={state}>
          {came === null ? bookingStates[state] : came ? '来店' : '来店なし'}
        </span>
        {telephone && (
          <span>
            <Telephones text={telephone} />
          </span>
        )}
        {email && <a href={`mailto:${email}`}>{email}</a>}
        {language && language !== 'ja' && <span>{`ことば：${language}`}</span>}
        {byStaff && <span>お店で入力</span>}
      </p>
      {state === 'offered' && <p className={styles.facts}>{`はじめのご希望：${formatDayAndTime(booking)}`}</p>}
      {wish && <p className={styles.wish}>{`ご要望：${wish}`}</p>}
    </>
  )
}
