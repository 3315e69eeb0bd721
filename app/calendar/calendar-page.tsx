import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { data, Form, Link, redirect, useNavigate, useNavigation, useSubmit } from 'react-router'
import { readDays } from '../business-days/business-days.server.ts'
import { takeBackHours } from '../business-days/hours-history.server.ts'
import { readForm } from '../form.server.ts'
import { Live } from '../live/live.tsx'
import { useAnswer } from '../live/use-answer.ts'
import { readParticipations } from '../participation/answers.server.ts'
import { EventAnswers } from '../participation/answers.tsx'
import { mayEditDishesAndCalendar, refusedDishesAndCalendar } from '../permissions.ts'
import { authorOf, clockKey, dbKey, logKey, mailerKey, readOr, visitorKey } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import { readSite } from '../site/site.server.ts'
import button from '../ui/button.module.css'
import { Alert } from '../ui/dialog.tsx'
import { fieldErrors } from '../ui/field-errors.ts'
import { Notice } from '../ui/notice.tsx'
import { orUnanswered } from '../ui/or-unanswered.ts'
import page from '../ui/page.module.css'
import { useDismissed } from '../ui/use-dismissed.ts'
import type { Route } from './+types/calendar-page.ts'
import type { EventAnswer } from './calendar-answer.ts'
import styles from './calendar-page.module.css'
import { DayPanel } from './day-panel.tsx'
import { Event } from './event.ts'
import { EventDialog } from './event-dialog.tsx'
import {
  addEvent,
  deleteEvent,
  listEvents,
  moveEvent,
  putBackEvent,
  saveEvent,
  takeBackEvent,
} from './events.server.ts'
import {
  addMonths,
  type Day,
  dayInJapan,
  firstMonth,
  lastMonth,
  type Month,
  monthAsked,
  monthInWords,
  monthOf,
  nearestMonth,
  weeksOf,
} from './month.ts'
import { MonthGrid } from './month-grid.tsx'
import { YearPicker } from './year-picker.tsx'

export async function loader({ context, url }: Route.LoaderArgs) {
  const db = context.get(dbKey)
  const today = dayInJapan(context.get(clockKey)())
  const { month, day, redirected } = monthAsked(url.searchParams, today)
  if (redirected) throw redirect(`/calendar?month=${month}`)

  const weeks = weeksOf(month).flat()
  const [first, last] = [weeks[0] as Day, weeks.at(-1) as Day]
  const site = await readSite(db)
  const visitor = context.get(visitorKey)
  const mayEdit = mayEditDishesAndCalendar(visitor, site)
  const events = await readOr(context, [], () => listEvents(db, first, last))
  return {
    month,
    day,
    today,
    days: await readOr(context, [], () => readDays(db, first, weeks.length)),
    events,
    participations: await readOr(context, [], () => readParticipations(db, visitor, events, today)),
    mayEdit,
    refusal: refusedDishesAndCalendar(visitor, site),
    sendsMail: context.get(mailerKey).verifies,
    seesControls: mayEdit || !site.hideEditButtonsFromVisitors,
    newId: mayEdit ? crypto.randomUUID() : '',
    // Where the settings of the business days have just been saved: they come back here.
    undo: mayEdit ? url.searchParams.get('undo') : null,
  }
}

const fields = ['intent', 'id', 'version', 'revision', ...Object.keys(Event.shape)]

export async function action({ context, request }: Route.ActionArgs) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const form = Object.fromEntries(await readForm(request, fields)) as Record<string, string>
  const intent = form.intent ?? ''
  const answer = (status: number, said: Omit<EventAnswer, 'intent'>) =>
    data<EventAnswer>({ intent, ...said }, { status })

  const site = await readSite(db)
  if (!mayEditDishesAndCalendar(visitor, site))
    return answer(visitor ? 403 : 401, { refusal: refusedDishesAndCalendar(visitor, site) })

  const author = authorOf(context)
  const seen = { id: form.id ?? '', version: Number(form.version) }
  try {
    if (intent === 'take back') {
      const revision = form.revision ?? ''
      const undo = (await takeBackEvent(db, revision, author)) ?? (await takeBackHours(db, revision, author))
      return undo
        ? answer(200, { done: '元に戻しました', undo })
        : answer(409, { failed: 'その後に変更があったため、元に戻せませんでした。' })
    }
    if (intent === 'put back')
      return answerTo(await putBackEvent(db, form.revision ?? '', author), '選んだ時点の内容に戻しました')
    if (intent === 'delete') return answerTo(await deleteEvent(db, seen, author), 'イベントを削除しました')
    const read = intent === 'move' ? Event.shape.day.safeParse(form.day) : Event.safeParse(form)
    if (!read.success) {
      const errors = fieldErrors(read.error.issues)
      return answer(400, { errors: intent === 'move' ? { moved: errors[''] ?? [] } : errors, values: form })
    }
    if (intent === 'move') return answerTo(await moveEvent(db, seen, read.data as Day, author), '予定を移しました')
    if (intent === 'save') return answerTo(await saveEvent(db, seen, read.data as Event, author), '予定を保存しました')
    if (intent !== 'add' || !UUID.test(seen.id)) return answer(400, { failed: SAVE_FAILED })
    const undo = await addEvent(db, seen.id, read.data as Event, author)
    return answer(200, { done: '予定を追加しました', ...(undo && { undo }) })
  } catch (error) {
    context.get(logKey).error({ err: error }, 'event save error')
    return answer(500, { failed: intent === 'delete' ? DELETE_FAILED : SAVE_FAILED })
  }

  function answerTo(result: Awaited<ReturnType<typeof saveEvent>>, done: string) {
    if (result.outcome === 'saved') return answer(200, { done, undo: result.revision })
    const lost = intent === 'delete' ? DELETE_FAILED : SAVE_FAILED
    if (result.outcome === 'missing') return answer(404, { failed: 'この予定は、すでに削除されています。' })
    return answer(409, {
      newer: result.event,
      ...(intent !== 'save' && { failed: `${lost}。ほかの方が先に変更しました。` }),
    })
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const DELETE_FAILED = 'イベントの削除に失敗しました'
const SAVE_FAILED = 'データの保存に失敗しました。もう一度お試しください'

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

/** The same action; where the server cannot be reached, what was typed stays and the page says so. */
export async function clientAction({ request, serverAction }: Route.ClientActionArgs) {
  const intent = String((await request.clone().formData()).get('intent'))
  const failed = intent === 'delete' ? DELETE_FAILED : SAVE_FAILED
  return orUnanswered<unknown, EventAnswer>(serverAction, { intent, failed })
}

export function meta({ matches, loaderData }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: `${loaderData ? monthInWords(loaderData.month) : ''}のカレンダー`,
    description: '営業日と定休日、祝日の営業、催しやテニスサークルの予定をご覧いただけます。',
    path: '/calendar',
  })
}

export default function CalendarPage({ loaderData, actionData }: Route.ComponentProps) {
  const answer = useAnswer(actionData as EventAnswer | undefined)
  return <CalendarOf key={loaderData.month} {...loaderData} answer={answer} />
}

type Shown = Route.ComponentProps['loaderData'] & { answer: EventAnswer | undefined }

function CalendarOf(shown: Shown) {
  const { month, today, days, events, mayEdit, seesControls, refusal, sendsMail, newId, answer } = shown
  const navigate = useNavigate()
  const busy = useNavigation().state === 'submitting'
  const { arriving, leaveFor } = useArrival(month)
  const [selection, setSelection] = useState<{ day: Day; by: 'pointer' | 'keyboard' } | null>(null)
  const selected = selection?.day ?? arriving ?? shown.day ?? (monthOf(today) === month ? today : null)
  const [opened, setOpened] = useState<string | null>(null)
  const [picking, setPicking] = useState(false)
  const submit = useSubmit()
  const { alert, dismiss } = useAlert(answer, () => setOpened(null))
  const event = events.find(({ id }) => id === opened)
  const participation = shown.participations.find(({ eventId }) => eventId === opened)
  const inGrid = (day: Day | null) => document.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus()

  return (
    <div className={`${page.page} ${styles.calendar}`}>
      <Head month={month} onPickYear={() => setPicking(true)} />
      <Legend />
      <Live topics={['events', 'answers', 'members', 'hours', 'specialDays', 'site']} />
      <Saved answer={answer} undo={shown.undo} month={month} />
      <div className={styles.columns}>
        <div className={styles.month}>
          <MonthGrid
            month={month}
            days={days}
            events={events}
            today={today}
            selected={selected}
            labelledBy="month"
            arriving={arriving}
            onSelect={(day, by) => setSelection({ day, by })}
            onOpen={({ id }) => setOpened(id)}
            onLeave={(day) => {
              if (nearestMonth(monthOf(day)) !== monthOf(day)) return
              leaveFor(day)
              navigate(`/calendar?month=${monthOf(day)}`, { preventScrollReset: true })
            }}
          />
          <div className={styles.foot}>
            <a href="/calendar.ics">カレンダーを購読する（iCal）</a>
            {mayEdit && <Link to="/bussinessdays">営業日の設定へ</Link>}
          </div>
        </div>
        {selected && (
          <DayPanel
            key={selected}
            day={selected}
            state={days.find(({ day }) => day === selected)}
            events={events.filter(({ day }) => day === selected)}
            mayEdit={mayEdit}
            seesControls={seesControls}
            refusal={refusal}
            sendsMail={sendsMail}
            newId={newId}
            answer={answer}
            busy={busy}
            takesFocus={selection?.by === 'keyboard'}
            onOpen={({ id }) => setOpened(id)}
            onLeave={() => inGrid(selected)}
          />
        )}
      </div>
      {picking && <YearPicker month={month} onClose={() => setPicking(false)} />}
      {event && (
        <EventDialog
          key={event.id}
          event={event}
          mayEdit={mayEdit}
          seesControls={seesControls}
          refusal={refusal}
          sendsMail={sendsMail}
          answer={answer && answer.intent !== 'add' ? answer : undefined}
          busy={busy}
          onClose={() => setOpened(null)}
          onDelete={() => {
            const form = { intent: 'delete', id: event.id, version: String(event.version) }
            submit(form, { method: 'post', preventScrollReset: true })
          }}
        >
          {participation && <EventAnswers event={event} participation={participation} />}
        </EventDialog>
      )}
      {alert && <Alert sentence={alert} onClose={dismiss} />}
    </div>
  )
}

let arrivingDay: Day | null = null

// The month the keyboard goes to is another grid: the day waits here until that is there.
function useArrival(month: Month) {
  const arriving = useRef(arrivingDay !== null && monthOf(arrivingDay) === month ? arrivingDay : null)
  useEffect(() => {
    arrivingDay = null
  }, [])
  const leaveFor = (day: Day) => {
    arrivingDay = day
  }
  return { arriving: arriving.current, leaveFor }
}

/** A deletion, done or failed, is said in an alert; done, the event's dialog closes first. */
function useAlert(answer: EventAnswer | undefined, closeEvent: () => void) {
  const close = useRef(closeEvent)
  useEffect(() => {
    if (answer?.done) close.current()
  }, [answer])
  const { shown, dismiss } = useDismissed(answer?.intent === 'delete' ? answer : undefined)
  return { alert: shown?.done ?? shown?.failed ?? null, dismiss }
}

const months = 'January February March April May June July August September October November December'.split(' ')

function Head({ month, onPickYear }: { month: Month; onPickYear: () => void }) {
  return (
    <div className={styles.head}>
      <Step to={addMonths(month, -12)} label="前の年">
        <ChevronsLeft size={20} aria-hidden />
      </Step>
      <Step to={addMonths(month, -1)} label="前の月" prefetch>
        <ChevronLeft size={20} aria-hidden />
      </Step>
      <div className={styles.name}>
        <h1 id="month">{monthInWords(month)}</h1>
        <span lang="en" className={styles.english}>
          {months[Number(month.slice(5)) - 1]}
        </span>
        <button type="button" className={styles.pick} onClick={onPickYear}>
          年を選ぶ
        </button>
      </div>
      <Step to={addMonths(month, 1)} label="次の月" prefetch>
        <ChevronRight size={20} aria-hidden />
      </Step>
      <Step to={addMonths(month, 12)} label="次の年">
        <ChevronsRight size={20} aria-hidden />
      </Step>
    </div>
  )
}

type StepProps = { to: Month; label: string; prefetch?: boolean; children: ReactNode }

function Step({ to, label, prefetch = false, children }: StepProps) {
  const reachable = to >= firstMonth && to <= lastMonth
  return reachable ? (
    <Link
      className={styles.step}
      to={`/calendar?month=${to}`}
      aria-label={label}
      title={label}
      preventScrollReset
      prefetch={prefetch ? 'render' : 'intent'}
    >
      {children}
    </Link>
  ) : (
    <span className={styles.step} aria-hidden="true" data-end>
      {children}
    </span>
  )
}

function Legend() {
  return (
    <ul className={styles.legend} aria-label="印の意味">
      <li className={styles.open}>営業日</li>
      <li className={styles.closed}>定休日・休業</li>
      <li className={styles.event}>予定</li>
      <li className={styles.today}>今日</li>
    </ul>
  )
}

/** What has just been done, and its way back. */
function Saved({
  answer,
  undo: fromSettings,
  month,
}: {
  answer: EventAnswer | undefined
  undo: string | null
  month: Month
}) {
  if (answer?.intent === 'take back' && answer.failed) return <Notice kind="trouble">{answer.failed}</Notice>
  const undo = answer?.undo ?? (answer ? null : fromSettings)
  const done = answer?.done ?? (undo && '営業日の設定を保存しました')
  if (!done) return null
  return (
    <Notice kind="done">
      <Form method="post" action={`/calendar?month=${month}`} preventScrollReset className={styles.saved}>
        <span>{done}</span>
        {undo && (
          <>
            <input type="hidden" name="intent" value="take back" />
            <input type="hidden" name="revision" value={undo} />
            <button type="submit" className={button.button}>
              元に戻す
            </button>
          </>
        )}
      </Form>
    </Notice>
  )
}
