import { MAX_REPLY, type TableAnswer } from '../bookings/booking.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import { maxCodeUnits } from '../ui/characters.ts'
import { namedOptions } from '../ui/field.tsx'
import { Telephones } from '../ui/telephones.tsx'
import { BookingFacts, formatDayAndTime, NameAndParty } from './booking-words.tsx'
import styles from './bookings.module.css'
import type { ShownBooking, ShownRequest } from './requests.server.ts'

/** The unanswered requests, each with its three answers. */
export function Requests({ requests }: { requests: ShownRequest[] }) {
  if (requests.length === 0) return null
  return (
    <section className={styles.requests} aria-labelledby="requests">
      <h2 id="requests">{`お返事を待っているお申し込み ${requests.length}件`}</h2>
      <ul>
        {requests.map((request) => (
          <li key={request.id} className={styles.request}>
            <Request request={request} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Request({ request }: { request: ShownRequest }) {
  const { offers, offer, warning } = request
  return (
    <article aria-labelledby={`request-${request.id}`}>
      <h3 id={`request-${request.id}`}>
        {`${formatDayAndTime(request)} `}
        <NameAndParty booking={request} />
      </h3>
      <BookingFacts booking={request} />
      {warning && <p className={styles.warning}>{warning}</p>}
      <CallHint booking={request} />
      <AnswerForm booking={request} state="accepted" label="はい" primary />
      {offers.length > 0 && (
        <AnswerForm booking={request} state="offered" label="別の時間">
          <select name="offer" defaultValue={offer} aria-label="ご案内する日時">
            {namedOptions(
              offers.map(({ isFree, ...time }) => [
                `${time.day} ${time.time}`,
                `${formatDayAndTime(time)}${isFree ? '' : '（上限を超えます）'}`,
              ]),
            )}
          </select>
        </AnswerForm>
      )}
      <AnswerForm booking={request} state="declined" label="いいえ" />
    </article>
  )
}

/** The request to telephone a guest who receives no e-mails. */
export function CallHint({ booking: { isCallNeeded, telephone } }: { booking: ShownBooking }) {
  if (!isCallNeeded) return null
  return (
    <p className={styles.call}>
      メールは届きません。お電話でお伝えください
      {telephone && '：'}
      <Telephones text={telephone} />
    </p>
  )
}

const replyLabels: Record<TableAnswer['state'], string> = {
  accepted: '「はい」のお返事',
  offered: '「別の時間」のお返事',
  declined: '「いいえ」のお返事',
  cancelled: 'お断りのお返事',
}

type Props = {
  booking: ShownBooking
  state: TableAnswer['state']
  label: string
  primary?: boolean
  children?: React.ReactNode
}

/** Sends an answer with its prepared reply, which can be edited. */
export function AnswerForm({ booking, state, label, primary = false, children }: Props) {
  const { id, version, replies, meanings } = booking
  // The answered booking leaves the list, so its notice is a toast.
  const save = useSave({ intents: [`answer ${id}`], leaves: true })
  return (
    <SaveForm save={save} action="/tables" className={styles.answer}>
      <input type="hidden" name="intent" value="answer" />
      <input type="hidden" name="booking" value={id} />
      <input type="hidden" name="version" value={version} />
      <Button type="submit" name="state" value={state} primary={primary} aria-disabled={save.busy}>
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
          aria-label={replyLabels[state]}
        />
        {meanings && <small>{`意味：${meanings[state]}`}</small>}
      </div>
      <Outcome save={save} />
    </SaveForm>
  )
}
