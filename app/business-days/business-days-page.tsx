import { data, Link, redirect, useNavigation } from 'react-router'
import { type Day, dayInJapan, isDay, monthOf } from '../calendar/month.ts'
import { readForm } from '../form.server.ts'
import { pageOfHistory } from '../history/history.ts'
import { HistoryPanel } from '../history/history-panel.tsx'
import { listRevisions } from '../history/revisions.server.ts'
import { namesOfAccounts } from '../members/members.server.ts'
import { mayEditDishesAndCalendar, refusedDishesAndCalendar } from '../permissions.ts'
import { authorOf, clockKey, dbKey, logKey, readOr, visitorKey } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import { Refused } from '../site/refused.tsx'
import { readSite } from '../site/site.server.ts'
import button from '../ui/button.module.css'
import { Alert } from '../ui/dialog.tsx'
import { fieldErrors } from '../ui/field-errors.ts'
import { Notice } from '../ui/notice.tsx'
import { orUnanswered } from '../ui/or-unanswered.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { useDismissed } from '../ui/use-dismissed.ts'
import { useScrollTo } from '../ui/use-scroll-to.ts'
import type { Route } from './+types/business-days-page.ts'
import { scheduleRows } from './business-day.ts'
import {
  listSpecialDays,
  readSpecialDay,
  readWeek,
  removeSpecialDay,
  saveSpecialDays,
  saveWeek,
} from './business-days.server.ts'
import type { HoursAnswer } from './business-days-answer.ts'
import styles from './business-days-page.module.css'
import { putBackHours, specialDayInWords, weekInWords } from './hours-history.server.ts'
import { daysOf } from './rhythm.ts'
import { MOST_SPECIAL_DAYS, SavedSchedule, ScheduleRow, SpecialDaysForm as SpecialDays } from './schedule.ts'
import { SpecialDaysForm, SpecialDaysTable } from './special-days-form.tsx'
import { WeekForm } from './week-form.tsx'

const unread = { version: 0, schedule: null, createdAt: null, updatedAt: null }

export async function loader({ context, url }: Route.LoaderArgs) {
  const db = context.get(dbKey)
  const site = await readSite(db)
  const today = dayInJapan(context.get(clockKey)())
  const wanted = url.searchParams.get('day') ?? ''
  const day = isDay(wanted) && wanted >= '2025-01-01' && wanted <= '2100-12-31' ? wanted : null
  const visitor = context.get(visitorKey)
  const mayEdit = mayEditDishesAndCalendar(visitor, site)
  const specialDays = await readOr(context, [], () => listSpecialDays(db, today))
  const table = url.searchParams.get('table') === 'special' ? ('special' as const) : ('week' as const)
  return {
    table,
    today,
    day,
    week: await readOr(context, unread, () => readWeek(db)),
    // What cannot be read counts as nothing for visitors.
    specialDays: mayEdit ? specialDays : specialDays.filter(({ hours }) => hours),
    special: day && mayEdit ? await readSpecialDay(db, day) : null,
    history: mayEdit ? await readOr(context, null, history) : null,
    mayEdit,
    refusal: refusedDishesAndCalendar(visitor, site),
  }

  async function history() {
    const telling = {
      namesOf: (accountIds: string[]) => namesOfAccounts(db, visitor, accountIds),
      page: pageOfHistory(url),
    }
    if (table === 'week')
      return listRevisions(db, { subject: 'businessWeek', subjectId: 'week' }, { inWords: weekInWords, ...telling })
    return day
      ? listRevisions(db, { subject: 'specialDay', subjectId: day }, { inWords: specialDayInWords, ...telling })
      : null
  }
}

const partsOf = (day: string) => ['Year', 'Month', 'Day'].map((part) => day + part)
const fields = [
  ...['intent', 'version', 'overwriting', 'revision', 'bulk', 'replacing'],
  ...Object.keys(SpecialDays.shape),
  ...partsOf('first'),
  ...partsOf('last'),
  ...scheduleRows.flatMap((row) => Object.keys(ScheduleRow.shape).map((field) => `${row}.${field}`)),
]

const SAVE_FAILED = 'データの保存に失敗しました。もう一度お試しください'

export async function action({ context, request }: Route.ActionArgs) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const form = await readForm(request, fields, { several: { replacing: 2 } })
  const intent = String(form.get('intent') ?? '')
  const values = Object.fromEntries(form) as Record<string, string>
  const answer = (status: number, said: Omit<HoursAnswer, 'intent'>) =>
    data<HoursAnswer>({ intent, values, ...said }, { status })

  const site = await readSite(db)
  if (!mayEditDishesAndCalendar(visitor, site))
    return answer(visitor ? 403 : 401, { refusal: refusedDishesAndCalendar(visitor, site) })
  try {
    if (intent === 'week') return await week()
    if (intent === 'special') return await special()
    if (intent === 'remove') return await remove()
    if (intent === 'put back') return await putBack()
    return answer(400, { failed: SAVE_FAILED })
  } catch (error) {
    context.get(logKey).error({ err: error }, 'business days save error')
    return answer(500, { failed: SAVE_FAILED })
  }

  async function week() {
    const read = SavedSchedule.safeParse(nested(values))
    if (!read.success) return answer(400, { errors: fieldErrors(read.error.issues) })
    const seen = { version: Number(values.version), overwriting: values.overwriting === 'yes' }
    const saved = await saveWeek(db, read.data, seen, authorOf(context))
    if (saved.outcome === 'newer') return answer(409, { newer: saved.week })
    if (saved.outcome === 'unreadable')
      return answer(409, { failed: '読めないデータがあります。置き換えてよいかをお答えください。' })
    return redirect(`/calendar?undo=${saved.revision}`)
  }

  async function special() {
    const first = values.first ?? dayFrom('first')
    const span = values.bulk === 'yes' ? { last: dayFrom('last') } : { last: first, rhythm: '毎日', weekday: 0 }
    const read = SpecialDays.safeParse({ ...values, first, ...span })
    if (!read.success) return answer(400, { errors: fieldErrors(read.error.issues) })
    const { reason, first: _, last: __, rhythm: ___, weekday: ____, ...hours } = read.data
    const days = daysOf(read.data)
    if (days.length === 0) return answer(400, { errors: { last: ['この期間に、あてはまる日がありません'] } })
    if (days.length > MOST_SPECIAL_DAYS)
      return answer(400, { errors: { last: [`一度に設定できるのは${MOST_SPECIAL_DAYS}日までです`] } })
    const saved = await saveSpecialDays(
      db,
      { days, reason, hours },
      agreedTo(form.getAll('replacing')),
      authorOf(context),
    )
    if (saved.outcome === 'existing') return answer(409, { existing: saved.existing })
    return redirect(`/calendar?month=${monthOf(days[0] as Day)}&undo=${saved.revision}`)
  }

  async function remove() {
    const day = values.first ?? ''
    const revision = await removeSpecialDay(db, { day, version: Number(values.version) }, authorOf(context))
    if (!revision) return answer(409, { failed: 'ほかの方が先に変更しました。いまの内容をご確認ください' })
    return redirect(`/calendar?month=${monthOf(day)}&undo=${revision}`)
  }

  async function putBack() {
    const { outcome } = await putBackHours(db, values.revision ?? '', authorOf(context))
    if (outcome === 'missing') return answer(404, { failed: 'この変更は見つかりませんでした。' })
    if (outcome === 'newer') return answer(409, { failed: 'ほかの方が先に変更しました。いまの内容をご確認ください' })
    return data<HoursAnswer>({ intent, done: '選んだ時点の内容に戻しました。' })
  }

  function dayFrom(name: 'first' | 'last') {
    const [year, month, day] = partsOf(name).map((part) => values[part] ?? '')
    return `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
  }
}

/** The same action; where the server cannot be reached, what was typed stays and the page says so. */
export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return orUnanswered<unknown, HoursAnswer>(serverAction, { intent: '', failed: SAVE_FAILED })
}

// `日曜日.starttime1_hour` → { 日曜日: { starttime1_hour } }
function nested(values: Record<string, string>) {
  const rows: Record<string, Record<string, string>> = {}
  for (const [name, value] of Object.entries(values)) {
    const [row, field] = name.split('.')
    if (row && field) rows[row] = { ...rows[row], [field]: value }
  }
  return rows
}

function agreedTo(lists: FormDataEntryValue[]) {
  const entries = String(lists.at(-1) ?? '').split(',')
  return new Map(entries.map((entry) => [entry.slice(0, 10), Number(entry.slice(11))]))
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: '営業日の設定', path: '/bussinessdays', listed: false })
}

export default function BusinessDaysPage({ loaderData, actionData }: Route.ComponentProps) {
  const { table, today, day, week, specialDays, special, history, mayEdit, refusal } = loaderData
  const answer = actionData as HoursAnswer | undefined
  const busy = useNavigation().state === 'submitting'
  const { shown, dismiss } = useDismissed(answer?.failed ? answer : undefined)
  const done = useScrollTo(answer?.done ? answer : null)
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="営業日の設定" english="Business days">
        <Link to={`/calendar${day ? `?month=${monthOf(day)}` : ''}`} className={button.button}>
          閉じる
        </Link>
      </PageTitle>
      {!mayEdit && <Refused sentence={refusal} />}
      {answer?.refusal && <Notice kind="trouble">{answer.refusal}</Notice>}
      {answer?.errors && <Notice kind="trouble">入力をご確認ください。赤い文字のところに理由があります。</Notice>}
      {answer?.failed && <Notice kind="trouble">{answer.failed}</Notice>}
      <div ref={done}>{answer?.done && <Notice kind="done">{answer.done}</Notice>}</div>
      <nav aria-label="設定の表" className={styles.tables}>
        <Link to="/bussinessdays" aria-current={table === 'week' ? 'page' : undefined} preventScrollReset>
          毎週の営業日
        </Link>
        <Link
          to="/bussinessdays?table=special"
          aria-current={table === 'special' ? 'page' : undefined}
          preventScrollReset
        >
          特別営業日
        </Link>
      </nav>
      {table === 'week' ? (
        <>
          <WeekForm key={answer?.done && week.version} week={week} answer={answer} mayEdit={mayEdit} busy={busy} />
          {history && <HistoryPanel history={history} mayPutBack />}
        </>
      ) : (
        <>
          <UnreadableCount count={specialDays.filter(({ hours }) => !hours).length} />
          <SpecialDaysForm
            key={`${day} ${Boolean(special)} ${answer?.done && special?.version}`}
            day={day ?? (today < '2025-01-01' ? '2025-01-01' : today)}
            special={special}
            answer={answer}
            mayEdit={mayEdit}
            busy={busy}
          />
          {history && <HistoryPanel history={history} mayPutBack />}
          <h2 className={styles.heading}>これからの特別営業日</h2>
          <SpecialDaysTable specialDays={specialDays} mayEdit={mayEdit} />
        </>
      )}
      {shown?.failed && <Alert sentence={shown.failed} onClose={dismiss} />}
    </div>
  )
}

function UnreadableCount({ count }: { count: number }) {
  return (
    count > 0 && (
      <Notice kind="trouble">読めないデータが{count}件あります。もとのデータは、そのまま残してあります。</Notice>
    )
  )
}
