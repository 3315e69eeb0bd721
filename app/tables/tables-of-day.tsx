import { type Booking, bookingsPath, takesSeats, timeOfBooking } from '../bookings/booking.ts'
import type { Day } from '../dates/month.ts'
import { LinkButton } from '../ui/button.tsx'
import page from '../ui/page.module.css'
import { BookingFacts, formatTimeOf, NameAndParty } from './booking-words.tsx'
import styles from './bookings.module.css'

/** Returns the number of parties and guests who take seats. */
export function formatTotal(bookings: Booking[]) {
  const taken = bookings.filter(takesSeats)
  return `${taken.length}組 ${taken.reduce((sum, { party }) => sum + party, 0)}名`
}

type Props = { bookings: Booking[]; day: Day; title: string }

/** The tables of a day in short, for pages other than the list of the staff. */
export function TablesOfDay({ bookings, day, title }: Props) {
  const taken = bookings.filter((each) => takesSeats(each) && timeOfBooking(each).day === day)
  return (
    <section className={page.section} aria-labelledby="tables">
      <h2 id="tables">{`${title} ${formatTotal(taken)}`}</h2>
      <ul className={styles.bookings}>
        {taken.map((booking) => (
          <li key={booking.id} className={styles.booking}>
            <p className={styles.time}>{formatTimeOf(booking)}</p>
            <div>
              <h3>
                <NameAndParty booking={booking} />
              </h3>
              <BookingFacts booking={booking} />
            </div>
          </li>
        ))}
      </ul>
      <LinkButton to={bookingsPath(day)}>お席の一覧</LinkButton>
    </section>
  )
}
