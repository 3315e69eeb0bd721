import type { ReactNode } from 'react'
import { Link } from 'react-router'
import {
  type Booking,
  bookingStates,
  bookingsPath,
  MAX_REPLY,
  sumGuests,
  type TableAnswer,
  takesSeats,
  timeOfBooking,
} from '../bookings/booking.ts'
import type { Day } from '../dates/month.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { maxCodeUnits } from '../ui/characters.ts'
import { namedOptions } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { Telephones } from '../ui/telephones.tsx'
import styles from './bookings.module.css'
import type { ShownBooking, ShownRequest } from './bookings-of-staff.server.ts'
import { formatTableDay, formatTableTime } from './table-words.ts'

/** Path of a booking in the list of its day, which shows the form of the booking. */
export function bookingPath(booking: Booking) {
  return `${bookingsPath(timeOfBooking(booking).day)}&booking=${booking.id}`
}

/** Returns the number of parties and guests who take seats. */
export function formatTotal(bookings: Booking[]) {
  const taken = bookings.filter(takesSeats)
  return `${taken.length}組 ${sumGuests(taken)}名`
}

type CardProps = { booking: Booking; withDay?: true; children?: ReactNode }

/** A booking in a list. The time in its heading has the day if `withDay` is true. */
export function BookingCard({ booking, withDay, children }: CardProps) {
  const { name, party, state, came, telephone, email, wish, language } = booking
  const { day, time } = timeOfBooking(booking)
  return (
    <li className={takesSeats(booking) ? styles.booking : `${styles.booking} ${styles.gone}`}>
      <h3>
        <Link to={bookingPath(booking)} className={styles.when} preventScrollReset>
          {withDay ? formatTableDay(day, time) : formatTableTime(time)}
        </Link>
        {` ${name} 様 `}
        <small className={styles.count}>{`${party}名`}</small>
      </h3>
      <p className={styles.facts}>
        <span className={styles.state} data-state={state}>
          {came === null ? bookingStates[state] : came ? '来店' : '来店なし'}
        </span>
        {telephone && <span>{<Telephones text={telephone} />}</span>}
        {email && <a href={`mailto:${email}`}>{email}</a>}
        {language === 'en' && <span>英語のお客さま</span>}
        {state === 'offered' && <span>{`はじめのご希望：${formatTableDay(booking.day, booking.time)}`}</span>}
      </p>
      {wish && <p className={styles.wish}>{`ご要望：${wish}`}</p>}
      {children}
    </li>
  )
}

export function Requests({ requests }: { requests: ShownRequest[] }) {
  if (requests.length === 0) return null
  return (
    <section className={styles.requests} aria-labelledby="requests">
      <h2 id="requests">{`お返事待ちのお申し込み ${requests.length}件`}</h2>
      <ul>
        {requests.map((request) => (
          <BookingCard key={request.id} booking={request} withDay>
            {request.warning && <p className={styles.warning}>{request.warning}</p>}
            <CallHint booking={request} />
            <AnswerForm booking={request} state="accepted" label="はい" />
            {request.offers.length > 0 && (
              <AnswerForm booking={request} state="offered" label="別の時間">
                <select
                  name="offer"
                  defaultValue={request.offer && `${request.offer.day} ${request.offer.time}`}
                  aria-label="ご案内する日時"
                >
                  {namedOptions(
                    request.offers.map(({ day, time, isFree }) => [
                      `${day} ${time}`,
                      `${formatTableDay(day, time)}${isFree ? '' : '（上限を超えます）'}`,
                    ]),
                  )}
                </select>
              </AnswerForm>
            )}
            <AnswerForm booking={request} state="declined" label="いいえ" />
          </BookingCard>
        ))}
      </ul>
    </section>
  )
}

/** How a guest who receives no e-mails learns of the reply. */
export function CallHint({ booking: { isCallNeeded, telephone } }: { booking: ShownBooking }) {
  if (!isCallNeeded) return null
  const way = telephone ? 'お電話でお伝えください。' : 'お返事は、お客さまのページに表示されます。'
  return <p className={styles.facts}>{`メールは届きません。${way}`}</p>
}

type AnswerProps = { booking: ShownBooking; state: TableAnswer['state']; label: string; children?: ReactNode }

/** Sends an answer with its prepared reply, which can be edited. */
export function AnswerForm({ booking, state, label, children }: AnswerProps) {
  const { id, version, replies, meanings } = booking
  const save = useSave({ intents: [`answer ${id}`], leaves: true })
  return (
    <>
      <SaveForm
        save={save}
        action="/tables"
        className={styles.answer}
        hiddenFields={{ booking: id, version, intent: 'answer' }}
      >
        <Button type="submit" name="state" value={state} primary={state === 'accepted'} aria-disabled={save.busy}>
          {label}
        </Button>
        <div>
          {children}
          <textarea
            name="reply"
            rows={2}
            maxLength={maxCodeUnits(MAX_REPLY)}
            defaultValue={replies[state]}
            lang={meanings ? booking.language : undefined}
            aria-label={`「${label}」のお返事`}
          />
          {meanings && <small>{`意味：${meanings[state]}`}</small>}
        </div>
      </SaveForm>
      <Outcome save={save} />
    </>
  )
}

export function TablesOfDay({ bookings, day, title }: { bookings: Booking[]; day: Day; title: string }) {
  const taken = bookings.filter((each) => takesSeats(each) && timeOfBooking(each).day === day)
  return (
    <section className={`${page.section} ${styles.short}`} aria-labelledby="tables">
      <h2 id="tables">{`${title} ${formatTotal(taken)}`}</h2>
      <ul>
        {taken.map((booking) => (
          <BookingCard key={booking.id} booking={booking} />
        ))}
      </ul>
      <LinkButton to={bookingsPath(day)}>お席の一覧</LinkButton>
    </section>
  )
}
