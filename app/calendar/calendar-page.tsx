import { useEffect, useRef, useState } from 'react'
import { Link, redirect, useLocation, useNavigate } from 'react-router'
import { dayInJapan } from '../dates/japan.ts'
import { type Day, formatMonth, type Month, monthOf, parseMonth, parseMonthQuery, weeksOf } from '../dates/month.ts'
import { useToday } from '../dates/use-today.ts'
import { formAction } from '../forms/form-action.server.ts'
import { runOnce, submissionKeyOf } from '../forms/idempotency.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { SAVE_FAILED, type SaveResult, undoOf } from '../forms/save-result.ts'
import { showToast } from '../forms/toast.ts'
import { useSave } from '../forms/use-save.ts'
import { readDaysOfPage } from '../hours/business-days.server.ts'
import { t } from '../languages/language.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { RestingNotice } from '../members/resting-notice.tsx'
import { PageIntroduction, PagePencil } from '../pages/page-head.tsx'
import { hasCircle, openPage, readPages } from '../pages/pages.server.ts'
import {
  mayEditDishesAndCalendar,
  mayOrganiseEvents,
  refusalOfCalendar,
  refusedDishesAndCalendar,
  seesEditButtons,
} from '../permissions.ts'
import { UUID } from '../records/record.ts'
import { contextOf, readOr } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { readTranslator } from '../translations/translations.server.ts'
import { announce } from '../ui/announce.ts'
import { Alert } from '../ui/dialog.tsx'
import page from '../ui/page.module.css'
import type { Route } from './+types/calendar-page.ts'
import { CalendarHead } from './calendar-head.tsx'
import styles from './calendar-page.module.css'
import { DayPanel } from './day-panel.tsx'
import { Event, EventForm, firstDeadline, MovedEvent, Repetition } from './event.ts'
import { EventDialog } from './event-dialog.tsx'
import type { EventResult } from './event-editing.tsx'
import { eventTextFields, formatMovedDeadline, type ShownEvent, translationIdOf } from './event-format.ts'
import { eventMetadata } from './event-metadata.ts'
import { EventRsvps, OrganiserLinks } from './event-rsvps.tsx'
import {
  addEvent,
  addSeries,
  deleteEvent,
  type EventOutcome,
  listEvents,
  moveEvent,
  readEvent,
  readLaterVersions,
  saveEvent,
} from './events.server.ts'
import { CHANGED_BADGE, MonthGrid } from './month-grid.tsx'
import { readOccurrences } from './occurrences.server.ts'
import { readParticipations } from './rsvps.server.ts'
import type { Scope } from './series.ts'
import { SubscribeLinks } from './subscribe-links.tsx'
import { useCalendarDialog } from './use-calendar-dialog.ts'
import { YearPicker } from './year-picker.tsx'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, clock, mailer, origin } = contextOf(context)
  const asOf = clock()
  const today = dayInJapan(asOf)
  const about = await openPage(context, 'calendar')
  const { month: requestedMonth, day, redirected } = parseMonthQuery(url.searchParams, today)
  if (redirected) throw redirect(`/calendar?month=${requestedMonth}`)
  const month = (!url.searchParams.has('month') && !day && (await monthOfEvent())) || requestedMonth

  const weeks = weeksOf(month).flat()
  const [first, last] = [weeks[0] as Day, weeks.at(-1) as Day]
  const site = await readSite(db)
  const mayEdit = mayEditDishesAndCalendar(visitor, site)
  const seesControls = seesEditButtons(mayEdit, site)
  const translate = await readTranslator(context, 'events')
  const events = (await readOr(context, [], () => listEvents(db, first, last, visitor))).map((event) =>
    translate(translationIdOf(event), event, eventTextFields),
  )
  const seriesEvents = events.filter(({ seriesId }) => seriesId).map(({ id }) => id)
  const isCircleOn = hasCircle(await readPages(context))
  return {
    about,
    month,
    day,
    asOf,
    days: await readDaysOfPage(context, first, weeks.length),
    events,
    laterVersions: mayEdit ? await readOr(context, {}, () => readLaterVersions(db, seriesEvents)) : {},
    participations: isCircleOn ? await readOr(context, [], () => readParticipations(db, visitor, events)) : [],
    mayEdit,
    seesControls,
    refusal: seesControls ? refusedDishesAndCalendar(visitor, site) : '',
    sendsMail: mailer.verifies,
    hasCircle: isCircleOn,
    organises: isCircleOn && mayOrganiseEvents(visitor),
    origin,
  }

  // The URL of an event in the current month contains no month parameter.
  async function monthOfEvent() {
    const id = url.searchParams.get('event')
    const event = id && (await readOr(context, null, () => readEvent(db, id, visitor)))
    return event ? monthOf(event.day) : null
  }
}

const eventFields = new Set([...Object.keys(Event.shape), 'overnight', ...Object.keys(Repetition.shape)])
const fields = ['intent', 'id', 'version', 'laterVersion', 'scope', 'once', ...eventFields]

export const action = formAction<EventResult>(
  { fields, refusal: refusalOfCalendar, failure: (intent) => (intent === 'delete' ? DELETE_FAILED : SAVE_FAILED) },
  async (submission) => {
    const { db, clock, form, field, intent, seen: version, author } = submission
    const seen = { id: field('id'), ...version, laterVersion: Number(field('laterVersion')) || 0 }
    const values = Object.fromEntries(form)
    const scope = field('scope') === 'later' ? 'later' : 'one'
    const key = submissionKeyOf(submission, `event ${intent}`)
    switch (intent) {
      case 'delete':
        return toEventResult(await deleteEvent(db, seen, author, scope), 'イベントを削除しました', `${DELETE_FAILED}。`)
      case 'move': {
        const { day } = parseValues(MovedEvent, values)
        const moved = await runOnce(db, key, (trx) => moveEvent(trx, seen, day, author, scope))
        const deadline = moved.ok?.newDeadline
        const deadlineSentence = deadline ? formatMovedDeadline(deadline, { day, today: dayInJapan(clock()) }) : ''
        return toEventResult(moved, `日付を変更しました。${deadlineSentence}`, `${SAVE_FAILED}。`)
      }
      case 'save': {
        const event = parseValues(EventForm, values)
        const saved = await runOnce(db, key, (trx) => saveEvent(trx, seen, event, author, scope))
        return toEventResult(saved, '予定を保存しました。')
      }
      case 'add': {
        const repetition = field('recurrence') ? parseValues(Repetition, values) : null
        const event = parseValues(EventForm, repetition ? { ...values, deadline: firstDeadline(repetition) } : values)
        if (!UUID.test(seen.id)) throw new Rejection(SAVE_FAILED, 400)
        const { days, description } = repetition ? await readOccurrences(db, repetition) : { days: [], description: '' }
        const save = await runOnce(db, submissionKeyOf(submission, 'event', seen.id), (trx) =>
          repetition
            ? addSeries(trx, seen.id, { event, recurrence: repetition.recurrence, days }, author)
            : addEvent(trx, seen.id, event, author, { announces: true }),
        )
        if (!save) throw new Rejection({ trouble: ALREADY_ADDED, isOutdated: true })
        return { done: `予定を追加しました。${description}`, undo: undoOf(save) }
      }
      default:
        throw new Rejection(SAVE_FAILED, 400)
    }
  },
)

const ALREADY_ADDED = 'この予定は、すでに追加されています。カレンダーで内容をご確認ください。'
const CHANGED_BY_SOMEBODY_ELSE = 'ほかの方が先に変更しました。'
const LATER_CHANGED =
  'この回より後の予定を、ほかの方が先に変更しました。カレンダーでご確認のうえ、よろしければもう一度お試しください。'

/** If `failure` is empty, the form shows the stored event after a conflict of this event. */
function toEventResult(result: EventOutcome, done: string, failure = '') {
  if (result.error === 'conflict') {
    const reason = result.isLater ? LATER_CHANGED : failure && CHANGED_BY_SOMEBODY_ELSE
    return { status: 409, newer: result.event, ...(reason && { trouble: failure + reason }) }
  }
  const { save, count } = unwrap(result, { missing: 'この予定は、すでに削除されています。' })
  return { done: count > 1 ? `${done.replace(/。?$/, '。')}この回以降の${count}回です。` : done, undo: undoOf(save) }
}

const DELETE_FAILED = 'イベントの削除に失敗しました'

export const handle = {
  cache: 'minute',
  translations: 'program',
  inSitemap: true,
  parameters: { month: 'key', day: 'key', event: 'dialog', pick: 'dialog', year: 'uncached', in: 'uncached' },
  metadata: import.meta.env.SSR && eventMetadata,
  title: ({ about, month }: Route.ComponentProps['loaderData']) =>
    t('{month}の{title}', { month: formatMonth(month), title: about.title }),
}

export default function CalendarPage({ loaderData }: Route.ComponentProps) {
  const { month, days, events, participations, mayEdit } = loaderData
  const today = useToday(loaderData.asOf)
  const dialog = useCalendarDialog({ month, today })
  const { selection, select, pendingSelection, moveToMonth } = useSelection(month, today)
  const selected = selection?.day ?? loaderData.day ?? (monthOf(today) === month ? today : null)
  const removal = useRemoval(dialog.close, loaderData.laterVersions)
  // The form stays open if another editor deletes the event or moves it to another month.
  const [editedEvent, setEditedEvent] = useState<ShownEvent>()
  const event = [...events, editedEvent].find((each) => each?.id === dialog.eventId)
  const participation = participations.find(({ eventId }) => eventId === dialog.eventId)
  useMonthAnnouncement(month)

  return (
    <div className={`${page.page} ${styles.calendar}`}>
      <CalendarHead month={month} dialog={dialog}>
        <PagePencil page={loaderData.about} />
      </CalendarHead>
      <PageIntroduction page={loaderData.about} />
      <Legend />
      <LiveUpdates topics={['events', 'answers', 'members', 'hours', 'specialDays', 'site']} />
      {dialog.isPickingYear && <YearPicker month={month} dialog={dialog} />}
      {event && (
        <EventDialog
          key={event.id}
          event={event}
          dialog={dialog}
          busy={removal.busy}
          onDelete={(scope) => removal.remove(event, scope)}
          onEdit={setEditedEvent}
        >
          {participation?.restingMemberId && <RestingNotice memberId={participation.restingMemberId} />}
          {participation && <EventRsvps event={event} participation={participation} asOf={loaderData.asOf} />}
          {loaderData.organises && event.attendance && <OrganiserLinks event={event} asOf={loaderData.asOf} />}
        </EventDialog>
      )}
      <div className={styles.columns}>
        <div className={styles.month}>
          <MonthGrid
            key={month}
            {...{ month, days, events, today, selected, dialog }}
            takesFocus={selection?.by === 'arrival'}
            onSelect={(day, by) => select({ day, by })}
            pendingDay={pendingSelection?.day ?? null}
            onLeaveMonth={moveToMonth}
          />
          <div className={styles.foot}>
            <a href="/calendar.ics">{t('スマートフォンのカレンダーに登録する')}</a>
            <SubscribeLinks url={`${loaderData.origin}/calendar.ics`} />
            {mayEdit && <Link to="/bussinessdays">毎週の営業時間へ</Link>}
          </div>
        </div>
        {selected && (
          <DayPanel
            key={selected}
            dialog={dialog}
            day={selected}
            state={days.find(({ day }) => day === selected)}
            events={events.filter(({ day }) => day === selected)}
            takesFocus={selection?.by === 'keyboard'}
            // Selects the displayed day when the panel is in use, so that the panel does not switch to the next day at
            // midnight.
            onUse={() => selection ?? select({ day: selected, by: 'panel' })}
            onLeave={() => document.querySelector<HTMLElement>(`[data-day="${selected}"]`)?.focus()}
          />
        )}
      </div>
      {removal.alert && (!dialog.eventId || !removal.done) && (
        <Alert sentence={removal.alert} onClose={removal.dismiss} />
      )}
    </div>
  )
}

type Selection = { day: Day; by: 'pointer' | 'keyboard' | 'panel' | 'arrival' } | null

// Selects no day in a new month, unless keyboard navigation led to one of its days.
function useSelection(month: Month, today: Day) {
  const navigate = useNavigate()
  const { search } = useLocation()
  const [selection, select] = useState<Selection>(null)
  const [pendingSelection, setPendingSelection] = useState<Selection>(null)
  const [shownMonth, setShownMonth] = useState(month)
  if (month !== shownMonth) {
    setShownMonth(month)
    select(pendingSelection && monthOf(pendingSelection.day) === month ? pendingSelection : null)
    setPendingSelection(null)
  }
  // On a phone, the panel is below the grid. Without scrolling, a tap would have no visible effect.
  useEffect(() => {
    if (selection?.by !== 'pointer') return
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    document
      .getElementById('day-heading')
      ?.scrollIntoView({ block: 'nearest', behavior: isStill ? 'instant' : 'smooth' })
  }, [selection])
  // A URL without a month means the current month. If that month ends, the URL gets the month of the selected day.
  useEffect(() => {
    const query = new URLSearchParams(search)
    if (!selection || monthOf(today) === month || query.has('month') || query.has('day')) return
    query.set('month', month)
    navigate(`/calendar?${query}`, { replace: true, preventScrollReset: true })
  }, [today])
  const moveToMonth = (day: Day, by: 'keyboard' | 'arrival') => {
    if (parseMonth(monthOf(day)) !== monthOf(day)) return
    setPendingSelection({ day, by })
    navigate(`/calendar?month=${monthOf(day)}`, { preventScrollReset: true })
  }
  return { selection, select, pendingSelection, moveToMonth }
}

/** Announces a new month to screen readers and clears the toast. This is necessary because the route stays the same. */
function useMonthAnnouncement(month: Month) {
  const announcedMonth = useRef(month)
  useEffect(() => {
    if (announcedMonth.current === month) return
    announcedMonth.current = month
    showToast(null)
    announce(formatMonth(month))
  }, [month])
}

/**
 * Deletes an event and shows the result in an alert. If the deletion succeeded, closing the alert shows the undo toast.
 */
function useRemoval(close: () => Promise<void>, laterVersions: Record<string, number>) {
  const { send, answer, busy } = useSave({ intents: [], failure: DELETE_FAILED, onDone: close })
  const [dismissedAnswer, setDismissedAnswer] = useState<SaveResult>()
  const shownAnswer = answer === dismissedAnswer ? undefined : answer
  const dismiss = () => {
    setDismissedAnswer(shownAnswer)
    if (shownAnswer?.done) showToast({ done: shownAnswer.done, undo: shownAnswer.undo, at: location.pathname })
  }
  const remove = ({ id, version }: { id: string; version: number }, scope: Scope) =>
    send({ intent: 'delete', id, version: String(version), laterVersion: String(laterVersions[id] ?? 0), scope })
  return { remove, busy, alert: shownAnswer?.trouble ?? shownAnswer?.done, done: Boolean(shownAnswer?.done), dismiss }
}

function Legend() {
  return (
    <ul className={styles.legend} aria-label={t('凡例')}>
      <li className={styles.open}>{t('営業日')}</li>
      <li className={styles.closed}>{t('定休日・休業')}</li>
      <li className={styles.event}>{t('予定')}</li>
      <li className={styles.today}>{t('今日')}</li>
      <li className={styles.changed} data-mark={t(CHANGED_BADGE)}>
        {t('臨時営業・時間変更')}
      </li>
    </ul>
  )
}
