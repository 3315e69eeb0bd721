import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import { Link } from 'react-router'
import type { Tables } from '../../db/tables.ts'
import { readHolidays } from '../dates/holidays.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { addDays, type Day, dayInWords } from '../dates/month.ts'
import { useToday } from '../dates/use-today.ts'
import { answered, failed, refused } from '../forms/answered.server.ts'
import { unwrap } from '../forms/outcome.ts'
import { Refused } from '../forms/refused.tsx'
import { SAVE_FAILED, undoOf } from '../forms/save-answer.ts'
import { seenIn } from '../forms/seen-version.ts'
import { dayStateInWords, isClosure, noSlots, spansOf } from '../hours/business-day.ts'
import {
  listSpecialDays,
  readDays,
  readSchedule,
  readSpecialDay,
  readUsualRows,
  removeSpecialDay,
  saveSpecialDays,
} from '../hours/business-days.server.ts'
import type { HoursAnswer } from '../hours/business-days-answer.ts'
import settings from '../hours/business-days-page.module.css'
import { hourFields, noHourFields } from '../hours/hour-fields.ts'
import { SpecialDays } from '../hours/schedule.ts'
import { lacksHours, leftOut, usualSlots } from '../hours/week.ts'
import { Live } from '../live/live.tsx'
import { readersOf } from '../mail/readers.server.ts'
import {
  mayEditDishesAndCalendar,
  mayEditSite,
  refusedAdministrators,
  refusedDishesAndCalendar,
  seesEditButtons,
} from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { authorOf, contextOf, type RequestContext } from '../request.ts'
import { shortageOfSpace } from '../settings/shortage.server.ts'
import { readSite, readSiteToEdit, saveSite } from '../settings/site.server.ts'
import { LinkButton } from '../ui/button.tsx'
import { fieldErrors } from '../ui/field-errors.ts'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/today-page.ts'
import { backupState } from './backup-state.server.ts'
import { BackupState } from './backup-state.tsx'
import { DayToChange } from './day-to-change.tsx'
import { readLeftToDo } from './left-to-do.server.ts'
import { LeftToDo, PUT_AWAY } from './left-to-do.tsx'
import { countSample, removeSample } from './sample.server.ts'
import { REMOVE_SAMPLE, SampleLeft } from './sample-left.tsx'
import styles from './today-page.module.css'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, clock, visitor, records, mailer, ownerEmail } = contextOf(context)
  const asOf = clock()
  const site = await readSite(db)
  const runsTheSite = mayEditSite(visitor)
  const sample = runsTheSite ? await countSample(db, records.kinds) : []
  const backups = await backupState(context)
  const readers = runsTheSite ? await readersOf(db, 'shop', { ...site, ownerEmail }) : []
  const left = await readLeftToDo(db, visitor, {
    verifies: mailer.verifies,
    hasReader: readers.length > 0,
    hasSample: sample.length > 0,
    hasCopy: Boolean(backups?.left),
  })
  const mayEdit = mayEditDishesAndCalendar(visitor, site)
  return {
    asOf,
    asked: url.searchParams.get('day'),
    days: await readDaysToChange(db, dayInJapan(asOf)),
    mayEdit,
    seesControls: seesEditButtons(mayEdit, site),
    refusal: refusedDishesAndCalendar(visitor, site),
    backups,
    shortage: await shortageOfSpace(context),
    left,
    sample,
  }
}

// Reads a week beyond today, for pages that stay open.
async function readDaysToChange(db: Kysely<Tables>, today: Day) {
  const states = await readDays(db, today, 8)
  const schedule = await readSchedule(db)
  const holiday = await readHolidays(db, today, addDays(today, states.length))
  const specialDays = await listSpecialDays(db, today)
  return states.map((state) => {
    const special = specialDays.find(({ day }) => day === state.day)
    const slots = special?.slots && spansOf(special.slots).length > 0 ? special.slots : null
    return {
      day: state.day,
      inWords: dayStateInWords(state),
      open: state.state === 'open',
      special: special && {
        reason: special.reason,
        version: special.version,
        cause: special.cause,
        note: special.note,
      },
      slots: slots ?? usualSlots(state.day, schedule, holiday),
    }
  })
}

const fields = ['intent', 'sure', 'day', 'version', 'reason', 'cause', 'note', ...hourFields]

const OUTDATED = 'ほかの方が先に変更したか、日付が変わりました。いまの内容をご確認ください。'

export async function action({ context, request }: Route.ActionArgs) {
  const { db, visitor } = contextOf(context)
  const form = await readForm(request, fields)
  const seen = seenIn(form)
  const values = Object.fromEntries(form) as Record<string, string>
  const { intent = '', day = '' } = values
  const answer = (status: number, said: HoursAnswer) => answered(request, { intent, ...said }, status)

  if (intent === REMOVE_SAMPLE || intent === PUT_AWAY) return receiveOfAdministrator(intent, context, request)
  const site = await readSite(db)
  if (!mayEditDishesAndCalendar(visitor, site)) return refused(visitor, refusedDishesAndCalendar(visitor, site), intent)
  const author = authorOf(context)
  try {
    const today = dayInJapan(contextOf(context).clock())
    // A page left open since yesterday must not close today.
    if (day !== today && day !== addDays(today, 1)) return answer(409, { trouble: OUTDATED })
    const dayInSentence = day === today ? '本日' : `明日 ${dayInWords(day)}`
    if (intent === 'usual') {
      const removed = await removeSpecialDay(db, { day, ...seen }, author)
      if (removed.outcome === 'newer') return answer(409, { trouble: OUTDATED })
      if (removed.outcome !== 'saved') return answer(200, { done: `${dayInSentence}は通常どおりです。` })
      return answer(200, { done: `${dayInSentence}を通常どおりに戻しました。`, undo: undoOf(removed.save) })
    }
    const special = intent === 'close' || intent === 'words' ? await readSpecialDay(db, day) : null
    const closure = special && isClosure(special.reason) ? special : null
    if (intent === 'words' && !closure) return answer(409, { trouble: OUTDATED })
    const { cause, note } = intent === 'close' ? (closure ?? {}) : values
    const rest = intent === 'close' ? { reason: '臨時休業' } : (closure ?? values)
    const given = { ...noHourFields, ...rest, cause, note, first: day, last: day, rhythm: '毎日', weekday: 0 }
    const read = SpecialDays.safeParse(given)
    if (!read.success) return answer(400, { errors: fieldErrors(read.error.issues), values })
    const said = { ...read.data.special, ...(intent === 'words' && closure?.slots && { slots: closure.slots }) }
    if (values.sure !== 'yes') {
      if (lacksHours(said)) return answer(409, { lacksHours: true, values })
      const sure = leftOut(said, await readUsualRows(db, [day]))
      if (sure.length > 0) return answer(409, { sure, values })
    }
    const saved = await saveSpecialDays(db, { days: [day], ...said }, new Map([[day, seen]]), author)
    if (saved.outcome === 'existing') {
      const isUnchanged = saved.existing.every(({ reason, cause, note, slots }) =>
        isDeepStrictEqual({ reason, cause, note, slots }, said),
      )
      return isUnchanged
        ? answer(200, { done: `${dayInSentence}は「${said.reason}」です。` })
        : answer(409, { trouble: OUTDATED })
    }
    const done =
      intent === 'words'
        ? `${dayInSentence}のお知らせを保存しました。`
        : `${dayInSentence}を「${said.reason}」にしました。`
    return answer(200, { done, undo: undoOf(saved.save) })
  } catch (error) {
    return answer(...failed(context, error, SAVE_FAILED))
  }
}

async function receiveOfAdministrator(intent: string, context: RequestContext, request: Request) {
  const { db, visitor, records } = contextOf(context)
  if (!mayEditSite(visitor)) return refused(visitor, refusedAdministrators(visitor), intent)
  try {
    if (intent === REMOVE_SAMPLE) {
      const removed = await removeSample(db, records.kinds, authorOf(context))
      const done = removed ? `見本の内容を${removed.count}件消しました。` : '見本の内容は、もう残っていません。'
      return answered(request, { intent, done, ...(removed && { undo: undoOf(removed.save) }) })
    }
    const { version } = await readSiteToEdit(db)
    const saved = await saveSite(db, { version, facts: { setupListHidden: true } }, authorOf(context))
    const save = unwrap(saved)
    const undo = save ? { undo: undoOf(save) } : {}
    return answered(request, { intent, done: '残っている準備の一覧をしまいました。', ...undo })
  } catch (error) {
    const [status, said] = failed(context, error)
    return answered(request, { intent, ...said }, status)
  }
}

export const handle = {
  cache: 'minute',
  parameters: { day: 'uncached' },
  title: ({ asked, asOf }: Route.ComponentProps['loaderData']) =>
    asked === addDays(dayInJapan(asOf), 1) ? '明日の営業' : '本日の営業',
}

// Rendered until a page that stayed open for longer has revalidated.
const unknownDay = { inWords: '', open: false, special: undefined, slots: noSlots }

export default function TodayPage({ loaderData }: Route.ComponentProps) {
  const { asOf, asked, days, mayEdit, seesControls, refusal, shortage, left, sample, backups } = loaderData
  const today = useToday(asOf)
  const tomorrow = addDays(today, 1)
  // After midnight, the URL of yesterday's tomorrow means today.
  const isTomorrow = asked === tomorrow
  const day = isTomorrow ? tomorrow : today
  const state = days.find((each) => each.day === day) ?? { day, ...unknownDay }
  return (
    <div className={`${page.page} ${styles.today}`}>
      <PageTitle title={isTomorrow ? '明日の営業' : '本日の営業'} english={isTomorrow ? 'Tomorrow' : 'Today'} />
      <Live topics={['hours', 'specialDays', 'site', 'backups']} />
      {!mayEdit && <Refused sentence={refusal} />}
      <nav aria-label="どの日の営業か" className={settings.tables}>
        <Link to="/today" aria-current={isTomorrow ? undefined : 'page'} preventScrollReset>
          本日
        </Link>
        <Link to={`/today?day=${tomorrow}`} aria-current={isTomorrow ? 'page' : undefined} preventScrollReset>
          明日
        </Link>
      </nav>
      <DayToChange key={day} {...{ state, isTomorrow, mayEdit, seesControls }} />
      {seesControls && (
        <nav aria-label="ほかの日の営業" className={styles.others}>
          <LinkButton to="/bussinessdays">毎週の営業時間</LinkButton>
          <LinkButton to="/bussinessdays?table=special">ほかの日を決める</LinkButton>
        </nav>
      )}
      {shortage && <Notice kind="trouble">{shortage}</Notice>}
      <LeftToDo left={left} />
      <SampleLeft left={sample} />
      {backups && (
        <section className={page.section}>
          <h2>データの控え</h2>
          <BackupState state={backups} />
          <LinkButton to="/backup">控えをダウンロード</LinkButton>
        </section>
      )}
    </div>
  )
}
