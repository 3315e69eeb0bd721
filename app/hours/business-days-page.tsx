import { isDeepStrictEqual } from 'node:util'
import { useState } from 'react'
import { Link } from 'react-router'
import { dayInJapan } from '../dates/japan.ts'
import { type Day, monthOf } from '../dates/month.ts'
import { DeniedNotice } from '../forms/denied-notice.tsx'
import { formAction, type Submission } from '../forms/form-action.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { SAVE_FAILED, undoOf } from '../forms/save-result.ts'
import { readSeenVersion } from '../forms/seen-version.ts'
import { isPageVisible, readPages } from '../pages/pages.server.ts'
import {
  mayEditDishesAndCalendar,
  mayEditSite,
  refusalOfCalendar,
  refusedDishesAndCalendar,
  seesEditButtons,
} from '../permissions.ts'
import { readHistory } from '../records/history.server.ts'
import { HistoryPanel, type RevertResult } from '../records/history-panel.tsx'
import { contextOf, readOr } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/business-days-page.ts'
import { type DayOfWeek, formatHours, type Schedule, scheduleRows } from './business-day.ts'
import {
  advanceWeekVersion,
  listOpenedClosedDays,
  listSpecialDays,
  readSpecialDay,
  readUsualRows,
  readWeek,
  removeSpecialDay,
  saveSpecialDays,
  saveWeek,
  toListedSpecialDay,
  type Week,
} from './business-days.server.ts'
import styles from './business-days-page.module.css'
import type { HoursResult } from './business-days-result.ts'
import { confirmDisplaced, linkToDisplaced, listDisplacedBookings } from './displaced-bookings.server.ts'
import { groupFields } from './groups.ts'
import { rowFields } from './hour-fields.ts'
import { linkToNotice } from './notice-of-days.ts'
import { parseWeekOfGroups, parseWeekOfRows } from './parse-week.ts'
import { listDays } from './recurrence.ts'
import { MAX_SPECIAL_DAYS, SpecialDate, SpecialDays, specialFieldNames } from './schedule.ts'
import { SpecialDaysForm, SpecialDaysTable } from './special-days-form.tsx'
import { daysFromMonday, formatRow, lacksHours, looksSame, missingSlots } from './week.ts'
import { WeekForm } from './week-form.tsx'
import { WeekTable } from './week-table.tsx'

const tables = { week: '毎週の営業時間', special: '特別営業日' }
const emptyWeek = { version: 0, schedule: null, createdAt: null, updatedAt: null }

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, clock } = contextOf(context)
  const site = await readSite(db)
  const today = dayInJapan(clock())
  const day = SpecialDate.safeParse(url.searchParams.get('day')).data ?? null
  const mayEdit = mayEditDishesAndCalendar(visitor, site)
  const specialDays = await readOr(context, [], () => listSpecialDays(db, today))
  const table = url.searchParams.get('table') === 'special' ? ('special' as const) : ('week' as const)
  const shownRecord =
    table === 'week' ? { subject: 'businessWeek', id: 'week' } : day && { subject: 'specialDay', id: day }
  return {
    table,
    byDay: url.searchParams.get('by') === 'day',
    today,
    day,
    week: await readOr(context, emptyWeek, () => readWeek(db)),
    // Visitors who are not editors do not see special days with unreadable slots.
    specialDays: mayEdit ? specialDays : specialDays.filter(({ slots }) => slots),
    special: day && mayEdit ? await readSpecialDay(db, day) : null,
    history:
      !mayEdit || !shownRecord
        ? null
        : await readOr(context, null, () => readHistory(context, { ...shownRecord, url })),
    mayEdit,
    seesControls: seesEditButtons(mayEdit, site),
    hasCalendar: isPageVisible(await readPages(context), 'calendar', visitor),
    mendsWords: mayEditSite(visitor),
    refusal: refusedDishesAndCalendar(visitor, site),
  }
}

const datePartNames = (name: string) => ['Year', 'Month', 'Day'].map((part) => name + part)
const fields = [
  ...['intent', 'version', 'overwriting', 'bulk', 'sure', 'beside', 'replacing'],
  ...specialFieldNames,
  ...datePartNames('first'),
  ...datePartNames('last'),
  ...groupFields,
  ...scheduleRows.flatMap((row) => rowFields.map((field) => `${row}.${field}`)),
]

export const action = formAction<HoursResult>(
  { fields, several: { replacing: 2 }, refusal: refusalOfCalendar, failure: SAVE_FAILED },
  async (submission) => {
    const { intent } = submission
    if (intent === 'groups' || intent === 'week') return changeWeek(submission)
    if (intent === 'special') return changeSpecialDays(submission)
    if (intent === 'remove') return resetSpecialDay(submission)
    throw new Rejection(SAVE_FAILED, 400)
  },
)

function readValues({ form }: Submission) {
  return Object.fromEntries(form) as Record<string, string>
}

function savedResult(url: string, save: string | null, hash = ''): HoursResult {
  return {
    done: '営業時間を保存しました。',
    ...(save && { undo: undoOf(save) }),
    to: `${url}done=hours${save ? `&undo=${save}` : ''}${hash}`,
  }
}

async function changeWeek(submission: Submission) {
  const { db, visitor, clock, intent, author } = submission
  const values = readValues(submission)
  const { version, schedule } = await readWeek(db)
  const parsedWeek = intent === 'week' ? parseWeekOfRows(values, schedule) : parseWeekOfGroups(values, schedule)
  if (!parsedWeek.schedule) throw new Rejection({ errors: parsedWeek.errors }, 400)
  const seen = { ...submission.seen, overwriting: values.overwriting === 'yes' }
  const { hoursInWords: beside } = await readSite(db)
  // The action reports a version conflict before any confirmation question.
  const isCurrent = version === (await advanceWeekVersion(db, seen, author))
  if (isCurrent && !values.closedDays) {
    const openedDays = await listOpenedClosedDays(db, dayInJapan(clock()), parsedWeek.schedule, schedule)
    if (openedDays.length > 0) return { status: 409, values, openedDays }
  }
  if (beside && !values.beside && isCurrent && !looksSame(schedule, parsedWeek.schedule))
    return { status: 409, values, beside }
  const displaced = isCurrent ? await listDisplacedBookings(db, clock(), { schedule: parsedWeek.schedule }) : []
  const sure = confirmDisplaced(displaced, [])
  if (sure.length > 0 && values.sure !== 'yes') return { status: 409, values, sure }
  const result = await saveWeek(db, parsedWeek.schedule, seen, author)
  if (result.error === 'conflict' && !result.isUnreadable)
    return { status: 409, values, newer: describeNewerWeek(parsedWeek.schedule, result.week, intent === 'week') }
  const save = unwrap(result, { conflict: UNREADABLE })
  const [url, hash] = values.beside === 'mend' && mayEditSite(visitor) ? ['/site?', '#guide'] : ['/calendar?']
  return { ...savedResult(url, save, hash), ...linkToDisplaced(displaced) }
}

const UNREADABLE = '読めないデータがあります。置き換えてよろしければ、チェックを入れてください。'

async function changeSpecialDays(submission: Submission) {
  const { db, clock, form, author } = submission
  const values = readValues(submission)
  const first = values.first ?? readDay(values, 'first')
  const dates = values.bulk === 'yes' ? { last: readDay(values, 'last') } : { last: first, rhythm: '毎日', weekday: 0 }
  const { special, span } = parseValues(SpecialDays, { ...values, first, ...dates })
  const days = listDays(span)
  if (days.length === 0) throw new Rejection({ errors: { last: ['この期間に、該当する日がありません'] } }, 400)
  if (days.length > MAX_SPECIAL_DAYS)
    throw new Rejection({ errors: { last: [`一度に設定できるのは${MAX_SPECIAL_DAYS}日までです`] } }, 400)
  const displaced = await listDisplacedBookings(db, clock(), { days, special })
  if (values.sure !== 'yes') {
    if (lacksHours(special)) return { status: 409, values, lacksHours: true }
    const sure = confirmDisplaced(displaced, missingSlots(special, await readUsualRows(db, days)))
    if (sure.length > 0) return { status: 409, values, sure }
  }
  const result = await saveSpecialDays(db, { days, ...special }, readReplacedVersions(form), author)
  if (result.error === 'conflict') return { status: 409, values, existing: result.existing }
  return {
    ...savedResult(`/calendar?month=${monthOf(days[0] as Day)}&`, unwrap(result)),
    ...linkToNotice(days, special, dayInJapan(clock())),
    ...linkToDisplaced(displaced),
  }
}

async function resetSpecialDay(submission: Submission): Promise<HoursResult & { status?: number }> {
  const { db, clock, field, seen, author } = submission
  const day = field('first')
  const displaced = await listDisplacedBookings(db, clock(), { days: [day], special: null })
  const removed = await removeSpecialDay(db, { day, ...seen }, author)
  if (removed.error === 'conflict')
    return { status: 409, values: readValues(submission), existing: [toListedSpecialDay(removed.row)] }
  const save = removed.error === 'missing' ? null : unwrap(removed)
  return { ...savedResult(`/calendar?month=${monthOf(day)}&`, save), ...linkToDisplaced(displaced) }
}

function readDay(values: Record<string, string>, name: 'first' | 'last') {
  const [year, month, day] = datePartNames(name).map((part) => values[part] ?? '')
  return `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
}

function describeNewerWeek(own: Schedule, { version, schedule }: Week, byDay: boolean) {
  if (!schedule) return { version, rows: {} }
  const differing = daysFromMonday.filter((name) => !isDeepStrictEqual(own[name], schedule[name]))
  const formatText = (name: DayOfWeek) => (byDay ? formatHours(schedule[name]) : formatRow(name, schedule[name]))
  const isFirst = Boolean(schedule.closedDaysFirst)
  return {
    version,
    rows: Object.fromEntries(differing.map((name) => [name, formatText(name)])),
    ...(isFirst !== Boolean(own.closedDaysFirst) && { closedDaysFirst: isFirst }),
  }
}

function readReplacedVersions(form: FormData) {
  const { own } = readSeenVersion(form)
  const entries = String(form.getAll('replacing').at(-1) ?? '').split(',')
  return new Map(entries.map((entry) => [entry.slice(0, 10), { version: Number(entry.slice(11)), own }]))
}

export const handle = {
  cache: 'minute',
  parameters: { by: 'uncached', day: 'uncached', table: 'uncached' },
  title: ({ table }: Route.ComponentProps['loaderData']) => tables[table ?? 'week'],
}

export default function BusinessDaysPage({ loaderData }: Route.ComponentProps) {
  const { table, byDay, today, day, week, specialDays, special, history, mayEdit, seesControls } = loaderData
  const { formVersion, onRevert } = useFormVersion(table === 'week' ? week.version : (special?.version ?? 0))
  // A sign-in loads the special day of the form. The end of a session must not discard the input.
  const [isEditor, setIsEditor] = useState(mayEdit)
  if (mayEdit && !isEditor) setIsEditor(true)
  const unreadable = specialDays.filter(({ slots }) => !slots).length
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title={tables[table]} english="Business days">
        <LinkButton to={loaderData.hasCalendar ? `/calendar${day ? `?month=${monthOf(day)}` : ''}` : '/'}>
          閉じる
        </LinkButton>
      </PageTitle>
      {!mayEdit && <DeniedNotice sentence={loaderData.refusal} />}
      <nav aria-label="設定の表" className={styles.tables}>
        {(['week', 'special'] as const).map((name) => (
          <Link
            key={name}
            to={name === 'week' ? '/bussinessdays' : '/bussinessdays?table=special'}
            aria-current={table === name ? 'page' : undefined}
            preventScrollReset
          >
            {tables[name]}
          </Link>
        ))}
      </nav>
      {table === 'week' && !seesControls && <WeekTable schedule={week.schedule} />}
      {table === 'week' && seesControls && (
        <>
          <nav aria-label="毎週の営業時間の表示方法" className={styles.ways}>
            <Link to="/bussinessdays" aria-current={byDay ? undefined : 'page'} preventScrollReset>
              同じ時間の日をまとめて
            </Link>
            <Link to="/bussinessdays?by=day" aria-current={byDay ? 'page' : undefined} preventScrollReset>
              1日ずつ
            </Link>
          </nav>
          <WeekForm
            key={`${byDay} ${formVersion}`}
            week={week}
            byDay={byDay}
            mayEdit={mayEdit}
            mendsWords={loaderData.mendsWords}
          />
          {history && <HistoryPanel history={history} onPutBack={onRevert} />}
        </>
      )}
      {table === 'special' && !seesControls && <SpecialDaysTable specialDays={specialDays} mayEdit={false} />}
      {table === 'special' && seesControls && (
        <>
          {unreadable > 0 && (
            <Notice kind="trouble">
              {`読めないデータが${unreadable}件あります。元のデータは、そのまま残してあります。`}
            </Notice>
          )}
          <SpecialDaysForm
            key={`${day} ${isEditor} ${formVersion}`}
            schedule={week.schedule}
            day={day ?? (today < '2025-01-01' ? '2025-01-01' : today)}
            special={special}
            mayEdit={mayEdit}
          />
          {history && <HistoryPanel key={day} history={history} onPutBack={onRevert} />}
          <h2 className={styles.heading}>これからの特別営業日</h2>
          <SpecialDaysTable specialDays={specialDays} mayEdit={mayEdit} />
        </>
      )}
    </div>
  )
}

// A newer version remounts the form and discards the typed input, but only after a revert on this page.
function useFormVersion(version: number) {
  const [formVersion, setFormVersion] = useState(version)
  const [revertedVersion, setRevertedVersion] = useState<number>()
  if (revertedVersion !== undefined && version >= revertedVersion) {
    setRevertedVersion(undefined)
    setFormVersion(version)
  }
  return { formVersion, onRevert: (answer: RevertResult) => setRevertedVersion(answer.version) }
}
