import { data, Link } from 'react-router'
import { z } from 'zod'
import { timeInJapan } from '../dates/japan.ts'
import { formatFullDay, monthOf } from '../dates/month.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction, type Submission } from '../forms/form-action.server.ts'
import { textField } from '../forms/form-rules.ts'
import { runOnce } from '../forms/idempotency.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { checkFields, parseFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { undoOf } from '../forms/save-result.ts'
import { type Saving, useSave } from '../forms/use-save.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { MEMBER_GONE } from '../members/member-words.ts'
import { activeMembers } from '../members/members.server.ts'
import { refusalOfOrganising } from '../permissions.ts'
import { historyPageIn } from '../records/history.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { removeOnce } from '../records/own-saves.server.ts'
import { contextOf } from '../request.ts'
import button from '../ui/button.module.css'
import { Button } from '../ui/button.tsx'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field, namedOptions } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { cleanLine } from '../ui/typed-text.ts'
import { useBrowserSupport } from '../ui/use-browser-support.ts'
import { useTime } from '../ui/use-time.ts'
import type { Route } from './+types/event-people-page.ts'
import { formatDeadline, formatEventTime, type ShownEvent } from './event-format.ts'
import { readEventPeople, readEventWithRsvps, readRsvpHistory } from './event-people.server.ts'
import styles from './event-people-page.module.css'
import { type Choice, Choices, companionOptions, NameList, rsvpChoices } from './event-rsvps.tsx'
import { addGuest, changeGuest, guestRecord } from './guests.server.ts'
import {
  countSeats,
  type EventPerson,
  eventPeoplePath,
  formatCame,
  formatParty,
  formatRsvp,
  groupPeople,
  hasBegun,
  isRsvp,
  rsvpLabels,
} from './rsvp.ts'
import { parseCompanions, rsvpSentences } from './rsvp-form.server.ts'
import rsvpStyles from './rsvps.module.css'
import { saveRsvp } from './rsvps.server.ts'

export async function loader({ context, params, url }: Route.LoaderArgs) {
  const { db, visitor, clock } = contextOf(context)
  assertAllowed(refusalOfOrganising(visitor))
  const event = await readEventWithRsvps(db, params.id)
  if (!event) throw data(null, 404)
  return {
    event,
    asOf: clock(),
    people: await readEventPeople(db, visitor, event),
    history: await readRsvpHistory(context, event.id, historyPageIn(url)),
  }
}

const MAX_NAME = 100
const GuestForm = z.object({ name: textField('お名前', MAX_NAME, cleanLine).min(1, 'お名前を入力してください') })

/** The values of the attendance buttons. */
const cameValues = new Map([
  ['yes', true],
  ['no', false],
  ['unknown', null],
])

const NOT_BEGUN = '来場は、予定が始まってから記録できます。'

const fields = ['member', 'guest', 'version', 'once', 'answer', 'companions', 'came', 'undo', 'name', 'remove']

export const action = formAction(
  {
    fields,
    intentOf: (field) => field('member') || field('guest') || 'add',
    refusal: refusalOfOrganising,
  },
  async (submission) => {
    const { db, clock, field, params } = submission
    const event = await readEventWithRsvps(db, params.id ?? '')
    if (!event) throw new Rejection(rsvpSentences.missing, 404)
    if (field('came') && !hasBegun(event, timeInJapan(clock()))) throw new Rejection(NOT_BEGUN)
    if (field('member')) return saveMember(submission, event)
    if (field('guest')) return saveGuest(submission)
    return saveNewGuest(submission, event)
  },
)

/** Saves the RSVP or the attendance of a member. A member who comes without an RSVP gets one. */
async function saveMember({ db, clock, field, seen, author }: Submission, event: ShownEvent) {
  const [memberId, answer, came] = [field('member'), field('answer'), cameValues.get(field('came'))]
  const isUndo = field('undo') !== ''
  if (!isUndo && came === undefined && !isRsvp(answer))
    throw new Rejection('参加・不参加・未定から選んでください。', 400)
  const companions = parseCompanions(field('companions'))
  const member = await activeMembers(db).select('username').where('id', '=', memberId).executeTakeFirst()
  if (!member) throw new Rejection(MEMBER_GONE, 404)
  const input: Parameters<typeof saveRsvp>[1] = {
    eventId: event.id,
    memberId,
    organises: true,
    ...seen,
    said: (now, previous) => {
      if (isUndo) return previous && { ...previous, undone: previous }
      const note = now?.note ?? ''
      if (isRsvp(answer)) return { answer, note, companions }
      return { answer: now?.answer ?? 'yes', note, companions: now?.companions ?? 0, came: came ?? null }
    },
  }
  const now = timeInJapan(clock())
  const key = keyOf({ field, author }, `answer ${event.id}/${memberId}`)
  const saved = unwrap(await runOnce(db, key, (trx) => saveRsvp(trx, input, author, now)), rsvpSentences)
  const name = `${member.username} さん`
  if (isUndo) return { done: `${name}の出欠を元に戻しました。`, save: saved.save }
  const done = isRsvp(answer) ? `を「${rsvpLabels[answer]}」にしました。` : formatCameDone(came ?? null)
  const undo = { member: memberId, version: String(saved.version), undo: 'yes' }
  return { done: `${name}${done}`, undo: { action: eventPeoplePath(event.id), fields: undo }, save: saved.save }
}

function formatCameDone(came: boolean | null) {
  return came === null ? 'の来場の記録を消しました。' : `を「${formatCame(came)}」と記録しました。`
}

async function saveGuest({ db, form, field, seen, author }: Submission) {
  const ref = { id: field('guest'), ...seen }
  const missing = 'このゲストは見つかりません。すでに削除されているようです。'
  if (field('remove')) {
    const removal = unwrap(await removeOnce(db, guestRecord, ref, author), { missing })
    return { done: 'ゲストを削除しました。', undo: undoOf(removal) }
  }
  const came = cameValues.get(field('came'))
  const changes = came === undefined ? parseFields(GuestForm, form) : { came }
  const save = unwrap(await changeGuest(db, ref, changes, author), { missing })
  return { done: came === undefined ? 'お名前を保存しました。' : `ゲスト${formatCameDone(came)}`, undo: undoOf(save) }
}

async function saveNewGuest({ db, form, field, author }: Submission, event: ShownEvent) {
  const { name } = parseFields(GuestForm, form)
  const guest = { id: crypto.randomUUID(), eventId: event.id, name }
  const key = keyOf({ field, author }, `guest ${event.id}`)
  const { save } = unwrap(await runOnce(db, key, (trx) => addGuest(trx, guest, author)), rsvpSentences)
  return { done: `${name} さんを追加しました。`, ...(save && { undo: undoOf(save) }) }
}

function keyOf({ field, author }: Pick<Submission, 'field' | 'author'>, form: string) {
  return { owner: author.accountId ?? '', form, key: field('once').slice(0, 64), at: author.at }
}

export const handle = {
  cache: 'none',
  title: ({ event }: Route.ComponentProps['loaderData']) => `${event.title}の出欠`,
}

export default function EventPeoplePage({ loaderData: { event, people, history, asOf } }: Route.ComponentProps) {
  const isBegun = hasBegun(event, useTime(asOf, timeInJapan))
  const canPrint = useBrowserSupport('print')
  return (
    <div className={`${page.page} ${page.narrow} ${styles.page}`}>
      <div className={styles.screen}>
        <LiveUpdates topics={['events', 'answers', 'members']} />
        <PageTitle title={`${event.title}の出欠`} english="RSVPs" />
        <p className={styles.when}>{formatWhen(event)}</p>
        <Summary event={event} people={people} />
        <div className={styles.actions}>
          {canPrint && <Button onClick={() => window.print()}>名簿を印刷する</Button>}
          <a className={button.button} href={`${eventPeoplePath(event.id)}.csv`} download>
            参加者（CSV）
          </a>
          <a className={button.button} href="/memberlist.csv" download>
            メンバー一覧（CSV）
          </a>
        </div>
        <section className={page.section} aria-labelledby="people">
          <h2 id="people">お一人ずつの出欠</h2>
          <p className={styles.hint}>
            {isBegun ? '来た方を記録できます。' : '予定が始まると、来た方を記録できます。'}
            回答は、締切のあとでも変更できます。お連れ様の人数は「参加」を押すと保存し、変更した方の名前は変更履歴に残ります。
          </p>
          <ul className={styles.people}>
            {people.map((person) => (
              <li key={person.id}>
                <Person person={person} isBegun={isBegun} />
              </li>
            ))}
          </ul>
        </section>
        <section className={page.section} aria-labelledby="new-guest">
          <h2 id="new-guest">ゲストの追加</h2>
          <p className={styles.hint}>アカウントのない方も、お名前で追加できます。定員の席をひとつ使います。</p>
          <NewGuest />
        </section>
        <HistoryPanel history={history} />
        <p className={styles.back}>
          <Link to={`/calendar?month=${monthOf(event.day)}&event=${event.id}`}>カレンダーの予定へ戻る</Link>
        </p>
      </div>
      <PrintedList event={event} people={people} />
    </div>
  )
}

function formatWhen(event: ShownEvent) {
  const time = `${formatFullDay(event.day)} ${formatEventTime(event)}`.trim()
  const [capacity, deadline] = [
    event.capacity && `定員${event.capacity}名`,
    event.deadline && `締切${formatDeadline(event)}`,
  ]
  return [time, capacity, deadline].filter(Boolean).join('　')
}

type EventProps = { event: ShownEvent; people: EventPerson[] }

function Summary({ event, people }: EventProps) {
  const { coming, waiting, maybe, no, unanswered } = groupPeople(people)
  const namesOf = (group: EventPerson[]) => ({ names: group.map(formatParty), seats: countSeats(group) })
  return (
    <dl className={`${rsvpStyles.names} ${styles.summary}`}>
      <NameList label="参加" {...namesOf(coming)} capacity={event.capacity} emptyText="まだどなたもいません" />
      <NameList label="キャンセル待ち（受付順）" {...namesOf(waiting)} />
      <NameList label="未定" {...namesOf(maybe)} />
      <NameList label="不参加" {...namesOf(no)} />
      <NameList label="未回答" {...namesOf(unanswered)} emptyText="全員が回答済み" />
      <NameList label="来た方" {...namesOf(people.filter(({ came }) => came))} />
    </dl>
  )
}

function Person({ person, isBegun }: { person: EventPerson; isBegun: boolean }) {
  const { id, memberId, name, accountname, version, came, note } = person
  const isGuest = memberId === null
  const save = useSave({ intents: [id], check: checkFields(GuestForm) })
  const seen = (
    <>
      <input type="hidden" name={isGuest ? 'guest' : 'member'} value={id} />
      <input type="hidden" name="version" value={version} />
    </>
  )
  const form = (
    <SaveForm save={save} once="">
      {seen}
      {isGuest ? <GuestFields name={name} save={save} /> : <AnswerFields person={person} save={save} />}
    </SaveForm>
  )
  const attendance = [true, false].map((value): Choice => {
    // Pressing the pressed button again removes the record.
    const pressedValue = came === value ? 'unknown' : null
    return [pressedValue ?? (value ? 'yes' : 'no'), formatCame(value), came === value]
  })
  return (
    <article className={styles.person} aria-label={name}>
      <div className={styles.head}>
        <h3>
          <span>{name}</span> <small>{isGuest ? 'ゲスト' : accountname}</small>
        </h3>
        <p className={styles.status}>{formatRsvp(person)}</p>
      </div>
      <div>
        {isBegun && (
          <SaveForm save={save} once="" className={styles.came}>
            {seen}
            <Choices name="came" choices={attendance} save={save} />
          </SaveForm>
        )}
        {isBegun || isGuest ? (
          <details className={styles.more}>
            <summary>{isGuest ? '変更・削除' : '回答を変更する'}</summary>
            {form}
          </details>
        ) : (
          form
        )}
      </div>
      {note && <p className={styles.note}>{`ひとこと：${note}`}</p>}
      <Outcome save={save} />
    </article>
  )
}

function AnswerFields({ person: { answer, companions }, save }: { person: EventPerson; save: Saving }) {
  return (
    <div className={styles.answers}>
      <label className={styles.companions}>
        お連れ様
        <select key={companions} name="companions" defaultValue={companions}>
          {namedOptions(companionOptions)}
        </select>
      </label>
      <Choices name="answer" choices={rsvpChoices(answer)} save={save} />
    </div>
  )
}

function GuestFields({ name, save }: { name: string; save: Saving }) {
  return (
    <>
      <GuestName key={name} name={name} save={save} />
      <div className={styles.actions}>
        <SubmitButton busy={save.busy}>保存する</SubmitButton>
        <Button type="submit" name="remove" value="yes" formNoValidate aria-disabled={save.busy}>
          削除する
        </Button>
      </div>
    </>
  )
}

function GuestName({ name, save }: { name?: string; save: Saving }) {
  return (
    <Field label="お名前" required errors={save.errors?.name}>
      {(wiring) => (
        <input {...wiring} name="name" defaultValue={name} maxLength={maxCodeUnits(MAX_NAME)} autoComplete="off" />
      )}
    </Field>
  )
}

function NewGuest() {
  const save = useSave({ intents: ['add'], check: checkFields(GuestForm), resets: true })
  return (
    <>
      <SaveForm save={save} once="">
        <GuestName save={save} />
        <SubmitButton busy={save.busy}>ゲストを追加する</SubmitButton>
      </SaveForm>
      <Outcome save={save} />
    </>
  )
}

/** The list on paper, with a column to tick. */
function PrintedList({ event, people }: EventProps) {
  const { coming, waiting } = groupPeople(people)
  return (
    <div className={styles.paper}>
      <h2>{event.title}</h2>
      <p>{`${formatWhen(event)}　参加${countSeats(coming)}名`}</p>
      <table>
        <thead>
          <tr>
            {['番号', 'お名前', '出欠', '来場'].map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...coming, ...waiting].map((person, index) => (
            <tr key={person.id}>
              <td>{index + 1}</td>
              <td>{formatParty(person)}</td>
              <td>{formatRsvp({ ...person, companions: 0, came: null })}</td>
              <td>{person.came && '✓'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
