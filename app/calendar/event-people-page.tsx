import { data, Link } from 'react-router'
import { z } from 'zod'
import type { Trx } from '../../db/tables.ts'
import { timeInJapan } from '../dates/japan.ts'
import { monthOf } from '../dates/month.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction, type Submission } from '../forms/form-action.server.ts'
import { textField } from '../forms/form-rules.ts'
import { runOnce, submissionKeyOf } from '../forms/idempotency.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { checkFields, parseFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { undoOf } from '../forms/save-result.ts'
import { type Saving, useSave } from '../forms/use-save.ts'
import { useStoredValue } from '../forms/use-stored-value.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { sentences } from '../members/member.ts'
import { activeMembers } from '../members/members.server.ts'
import { refusalOfOrganising } from '../permissions.ts'
import { historyPageIn } from '../records/history.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { removeOnce } from '../records/own-saves.server.ts'
import { contextOf } from '../request.ts'
import button from '../ui/button.module.css'
import { Button } from '../ui/button.tsx'
import { maxCodeUnits } from '../ui/characters.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import disclosure from '../ui/disclosure.module.css'
import { Field, namedOptions } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { cleanLine } from '../ui/typed-text.ts'
import { useBrowserSupport } from '../ui/use-browser-support.ts'
import { useTime } from '../ui/use-time.ts'
import type { Route } from './+types/event-people-page.ts'
import type { ShownEvent } from './event-format.ts'
import { type EventPerson, readEventPeople, readEventWithRsvps, readRsvpHistory } from './event-people.server.ts'
import styles from './event-people-page.module.css'
import { type Choice, Choices, companionOptions, EventFacts, NameList, rsvpChoices } from './event-rsvps.tsx'
import { addGuest, changeGuest, guestRecord } from './guests.server.ts'
import { eventPeoplePath, formatCame, formatRsvp, hasBegun, isRsvp, rsvpLabels } from './rsvp.ts'
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
    ...(await readEventPeople(context, event)),
    history: await readRsvpHistory(context, event.id, historyPageIn(url)),
  }
}

const MAX_NAME = 100
const GuestForm = z.object({ name: textField('お名前', MAX_NAME, cleanLine).min(1, 'お名前を入力してください') })

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
    if (field('guest')) return saveGuest(submission, event)
    return saveNewGuest(submission, event)
  },
)

/** Saves the RSVP or the attendance of a member. A member who comes without an RSVP gets one. */
async function saveMember(submission: Submission, event: ShownEvent) {
  const { db, clock, field, seen, author } = submission
  const [memberId, answer, came] = [field('member'), field('answer'), readCame(field)]
  const isUndo = field('undo') !== ''
  if (!isUndo && came === null && !isRsvp(answer)) throw new Rejection('参加・不参加・未定から選んでください。', 400)
  const companions = parseCompanions(field('companions'))
  const member = await activeMembers(db).select('username').where('id', '=', memberId).executeTakeFirst()
  if (!member) throw new Rejection(sentences.gone, 404)
  const input: Parameters<typeof saveRsvp>[1] = {
    eventId: event.id,
    memberId,
    organises: true,
    ...seen,
    said: (now, previous) => {
      if (isUndo) return previous && { ...previous, undone: previous }
      const note = now?.note ?? ''
      if (isRsvp(answer)) return { answer, note, companions }
      return { answer: now?.answer ?? 'yes', note, companions: now?.companions ?? 0, came }
    },
  }
  const now = timeInJapan(clock())
  const key = submissionKeyOf(submission, `answer ${event.id}/${memberId}`)
  const saveOnce = async (trx: Trx) => unwrap(await saveRsvp(trx, input, author, now), rsvpSentences)
  const saved = await runOnce(db, key, saveOnce)
  const name = `${member.username} さん`
  if (isUndo) return { done: `${name}の出欠を元に戻しました。`, save: saved.save }
  const done = isRsvp(answer) ? rsvpLabels[answer] : formatCame(came)
  const undo = { member: memberId, version: String(saved.version), undo: 'yes' }
  return {
    done: `${name}を「${done}」にしました。`,
    undo: { action: eventPeoplePath(event.id), fields: undo },
    save: saved.save,
  }
}

function readCame(field: Submission['field']) {
  return ['yes', 'no'].includes(field('came')) ? field('came') === 'yes' : null
}

async function saveGuest(submission: Submission, event: ShownEvent) {
  const { db, form, field, seen, author } = submission
  const ref = { id: field('guest'), ...seen }
  const missing = 'このゲストは見つかりません。すでに削除されているようです。'
  if (field('remove')) {
    const removal = unwrap(await removeOnce(db, guestRecord, ref, author), { missing })
    return { done: 'ゲストを削除しました。', undo: undoOf(removal) }
  }
  const came = readCame(field)
  const changes = came === null ? parseFields(GuestForm, form) : { came }
  const key = submissionKeyOf(submission, `guest ${ref.id}`)
  const save = unwrap(await runOnce(db, key, (trx) => changeGuest(trx, event, ref, changes, author)), { missing })
  const done = came === null ? 'お名前を保存しました。' : `ゲストを「${formatCame(came)}」にしました。`
  return { done, undo: undoOf(save) }
}

async function saveNewGuest(submission: Submission, event: ShownEvent) {
  const { db, form, author } = submission
  const { name } = parseFields(GuestForm, form)
  const guest = { id: crypto.randomUUID(), eventId: event.id, name }
  const key = submissionKeyOf(submission, `guest ${event.id}`)
  const addOnce = async (trx: Trx) => unwrap(await addGuest(trx, guest, author), rsvpSentences)
  const save = await runOnce(db, key, addOnce)
  return { done: `${name} さんを追加しました。`, undo: undoOf(save) }
}

export const handle = {
  cache: 'none',
  title: ({ event }: Route.ComponentProps['loaderData']) => `${event.title}の出欠`,
}

export default function EventPeoplePage({
  loaderData: { event, people, groups, history, asOf },
}: Route.ComponentProps) {
  const isBegun = hasBegun(event, useTime(asOf, timeInJapan))
  const canPrint = useBrowserSupport('print')
  return (
    <div className={`${page.page} ${page.narrow} ${styles.page}`}>
      <LiveUpdates topics={['events', 'answers', 'members']} />
      <PageTitle title={`${event.title}の出欠`} english="RSVPs" />
      <EventFacts event={event} />
      <dl className={`${rsvpStyles.names} ${styles.summary}`}>
        {groups.map((group) => (
          <NameList key={group.label} {...group} />
        ))}
      </dl>
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
          {`${isBegun ? '' : '予定が始まると、'}来た方を記録できます。回答は、締切のあとでも変更できます。お連れ様の人数は「参加」を押すと保存し、変更した方の名前は変更履歴に残ります。`}
        </p>
        <ul className={styles.people}>
          {people.map((person) => (
            <li key={person.id} className={person.answer === 'yes' ? undefined : styles.absent}>
              <Person person={person} isBegun={isBegun} />
            </li>
          ))}
        </ul>
      </section>
      <section className={`${page.section} ${styles.newGuest}`} aria-labelledby="new-guest">
        <h2 id="new-guest">ゲストの追加</h2>
        <p className={styles.hint}>アカウントのない方も、お名前で追加できます。定員の席をひとつ使います。</p>
        <NewGuest />
      </section>
      <HistoryPanel history={history} />
      <p className={styles.back}>
        <Link to={`/calendar?month=${monthOf(event.day)}&event=${event.id}`}>カレンダーの予定へ戻る</Link>
      </p>
    </div>
  )
}

function Person({ person, isBegun }: { person: EventPerson; isBegun: boolean }) {
  const { id, memberId, name, accountname, version, came, note, link } = person
  const isGuest = memberId === null
  const save = useSave({ intents: [id], check: checkFields(GuestForm) })
  const seen = { [isGuest ? 'guest' : 'member']: id, version }
  const form = (
    <SaveForm save={save} once="" hiddenFields={seen}>
      {isGuest ? <GuestFields name={name} save={save} /> : <AnswerFields person={person} save={save} />}
    </SaveForm>
  )
  const attendance = [true, false].map((value): Choice => [value ? 'yes' : 'no', formatCame(value), came === value])
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
          <SaveForm save={save} once="" hiddenFields={seen} className={styles.came}>
            <Choices name="came" choices={attendance} save={save} />
          </SaveForm>
        )}
        {isBegun || isGuest ? (
          <details className={disclosure.disclosure}>
            <summary>{isGuest ? '変更・削除' : '回答を変更する'}</summary>
            {form}
          </details>
        ) : (
          form
        )}
      </div>
      {note && <p className={styles.note}>{`ひとこと：${note}`}</p>}
      {link && (
        <details className={disclosure.disclosure}>
          <summary>ご本人用の回答リンク</summary>
          <CopyButton text={link}>リンクをコピー</CopyButton>
        </details>
      )}
      <Outcome save={save} />
    </article>
  )
}

function AnswerFields({ person: { answer, companions }, save }: { person: EventPerson; save: Saving }) {
  const select = useStoredValue<HTMLSelectElement>(String(companions), save)
  return (
    <div className={styles.answers}>
      <label className={styles.companions}>
        お連れ様
        <select ref={select} name="companions" defaultValue={companions}>
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
      <GuestName name={name} save={save} />
      <div className={styles.actions}>
        <SubmitButton busy={save.busy}>保存する</SubmitButton>
        <Button type="submit" name="remove" value="yes" formNoValidate aria-disabled={save.busy}>
          削除する
        </Button>
      </div>
    </>
  )
}

function GuestName({ name = '', save }: { name?: string; save: Saving }) {
  const input = useStoredValue<HTMLInputElement>(name, save)
  return (
    <Field label="お名前" required errors={save.errors?.name}>
      {(wiring) => (
        <input
          {...wiring}
          ref={input}
          name="name"
          defaultValue={name}
          maxLength={maxCodeUnits(MAX_NAME)}
          autoComplete="off"
        />
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
