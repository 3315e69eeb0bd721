import { isDeepStrictEqual } from 'node:util'
import { Link } from 'react-router'
import type { Db } from '../../db/tables.ts'
import { dayInJapan } from '../dates/japan.ts'
import { addDays, type Day, formatDay } from '../dates/month.ts'
import { DeniedNotice } from '../forms/denied-notice.tsx'
import { formAction, type Submission } from '../forms/form-action.server.ts'
import { denied, Rejection, unwrap } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { SAVE_FAILED, undoOf } from '../forms/save-result.ts'
import { businessDayAt, dayState, formatDayState, isClosure, noSlots, spansOf } from '../hours/business-day.ts'
import {
  listSpecialDays,
  readRules,
  readSchedule,
  readSpecialDay,
  readUsualRows,
  removeSpecialDay,
  saveSpecialDays,
} from '../hours/business-days.server.ts'
import settings from '../hours/business-days-page.module.css'
import type { HoursResult } from '../hours/business-days-result.ts'
import { confirmDisplaced, linkToDisplaced, listDisplacedBookings } from '../hours/displaced-bookings.server.ts'
import { hourFields, noHourFields } from '../hours/hour-fields.ts'
import { linkToNotice } from '../hours/notice-of-days.ts'
import { SpecialDays } from '../hours/schedule.ts'
import { lacksHours, missingSlots, usualSlots } from '../hours/week.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { recipientEmails } from '../mail/recipients.server.ts'
import {
  mayEditDishesAndCalendar,
  mayEditSite,
  refusalOfAdministration,
  refusalOfCalendar,
  refusedDishesAndCalendar,
  seesEditButtons,
} from '../permissions.ts'
import { contextOf, type Release } from '../request.ts'
import { diskSpaceWarning } from '../settings/disk-space.server.ts'
import { readSite, readSiteToEdit, saveSite } from '../settings/site.server.ts'
import { readTables } from '../tables/bookings-of-staff.server.ts'
import { translationsUrl } from '../translations/translation-links.tsx'
import { LinkButton } from '../ui/button.tsx'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { Notice } from '../ui/notice.tsx'
import { OPERATOR } from '../ui/operator.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { useEveryMinute } from '../ui/use-time.ts'
import type { Route } from './+types/today-page.ts'
import { backupState } from './backup-state.server.ts'
import { BackupState } from './backup-state.tsx'
import { readChecklist } from './checklist.server.ts'
import { Checklist, HIDE_CHECKLIST } from './checklist.tsx'
import { DayEditor } from './day-to-change.tsx'
import { countSample, removeSample } from './sample.server.ts'
import { REMOVE_SAMPLE, SampleContent } from './sample-left.tsx'
import styles from './today-page.module.css'
import { listStaleRecords, listTranslations } from './translation-groups.server.ts'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, clock, visitor, records, mailer, ownerEmail, newerRelease } = contextOf(context)
  const asOf = clock()
  const site = await readSite(db)
  const isSiteAdministrator = mayEditSite(visitor)
  const sample = isSiteAdministrator ? await countSample(db, records.recordTypes) : []
  const backups = await backupState(context)
  const readers = isSiteAdministrator ? await recipientEmails(db, 'shop', { ...site, ownerEmail }) : []
  const checklist = await readChecklist(db, visitor, {
    verifies: mailer.verifies,
    hasReader: readers.length > 0,
    hasSample: sample.length > 0,
    hasCopy: Boolean(backups?.left),
  })
  const mayEdit = mayEditDishesAndCalendar(visitor, site)
  const tables = await readTables(context)
  const translations = mayEdit && site.otherLanguages ? await listTranslations(context) : []
  return {
    asOf,
    asked: url.searchParams.get('day'),
    // Yesterday, and eight days, because a page may stay open past midnight.
    days: await readEditableDays(db, asOf, 9),
    mayEdit,
    seesControls: seesEditButtons(mayEdit, site),
    refusal: refusedDishesAndCalendar(visitor, site),
    backups,
    shortage: await diskSpaceWarning(context),
    release: isSiteAdministrator ? newerRelease() : null,
    left: checklist,
    sample,
    stale: listStaleRecords(translations),
    textTopics: [...new Set(translations.map(({ topic }) => topic))],
    ...(tables && { tables }),
  }
}

// Reads `count` days from yesterday, whose night may last until now.
async function readEditableDays(db: Db, now: number, count: number) {
  const first = addDays(dayInJapan(now), -1)
  const last = addDays(first, count - 1)
  const rules = await readRules(db, await readSchedule(db), first, last)
  const specialDays = await listSpecialDays(db, first, last)
  return Array.from({ length: count }, (_, index) => {
    const state = dayState(addDays(first, index), rules)
    const special = specialDays.find(({ day }) => day === state.day)
    const ownSlots = special?.slots && spansOf(special.slots).length > 0 ? special.slots : null
    const slots = ownSlots ?? usualSlots(state.day, rules.schedule, rules.holiday)
    const open = state.state === 'open'
    return {
      day: state.day,
      inWords: formatDayState(state),
      open,
      // A night that was closed while it was running stays the business day, so that it can be opened again.
      spans: open || special ? spansOf(slots) : [],
      special: special && {
        reason: special.reason,
        version: special.version,
        cause: special.cause,
        note: special.note,
      },
      slots,
    }
  })
}

const fields = ['intent', 'sure', 'day', 'version', 'reason', 'cause', 'note', ...hourFields]

const CHANGED_SINCE = 'ほかの方が先に変更したか、日付が変わりました。現在の内容をご確認ください。'

export const action = formAction<HoursResult>({ fields, failure: SAVE_FAILED }, async (submission) => {
  const { db, visitor, records, intent } = submission
  const refusal = isAdministratorIntent(intent)
    ? refusalOfAdministration(visitor)
    : refusalOfCalendar(visitor, await records.readRule(db))
  if (refusal) throw denied(visitor, refusal)
  switch (intent) {
    case REMOVE_SAMPLE:
      return removeSampleContent(submission)
    case HIDE_CHECKLIST:
      return hideChecklist(submission)
    case 'usual':
      return endSpecialDay(submission, await parseDay(submission))
    default:
      return changeDay(submission, await parseDay(submission))
  }
})

const isAdministratorIntent = (intent: string) => intent === REMOVE_SAMPLE || intent === HIDE_CHECKLIST

async function removeSampleContent({ db, records, author }: Submission) {
  const removed = await removeSample(db, records.recordTypes, author)
  if (!removed) return { done: '見本の内容は、もう残っていません。' }
  return { done: `見本の内容を${removed.count}件削除しました。`, undo: undoOf(removed.save) }
}

async function hideChecklist({ db, author }: Submission) {
  const { version } = await readSiteToEdit(db)
  const save = unwrap(await saveSite(db, { version, facts: { setupListHidden: true } }, author))
  return { done: '残っている準備の一覧を非表示にしました。', ...(save && { undo: undoOf(save) }) }
}

type FormDay = { day: Day; inWords: string }

// A form that was opened yesterday must not change the hours of today.
async function parseDay({ db, clock, field }: Submission): Promise<FormDay> {
  const day = field('day')
  const now = clock()
  const today = businessDayAt(now, await readEditableDays(db, now, 1))
  if (day !== today && day !== addDays(today, 1)) throw new Rejection(CHANGED_SINCE)
  return { day, inWords: day === today ? '本日' : `明日 ${formatDay(day)}` }
}

async function endSpecialDay({ db, clock, seen, author }: Submission, { day, inWords }: FormDay) {
  const displaced = await listDisplacedBookings(db, clock(), { days: [day], special: null })
  const removed = await removeSpecialDay(db, { day, ...seen }, author)
  if (removed.error === 'missing') return { done: `${inWords}は通常どおりです。` }
  const undo = undoOf(unwrap(removed, { conflict: CHANGED_SINCE }))
  return { done: `${inWords}を通常どおりに戻しました。`, undo, ...linkToDisplaced(displaced) }
}

async function changeDay({ db, clock, form, intent, seen, author }: Submission, { day, inWords }: FormDay) {
  const values = Object.fromEntries(form) as Record<string, string>
  const stored = intent === 'close' || intent === 'words' ? await readSpecialDay(db, day) : null
  const closure = stored && isClosure(stored.reason) ? stored : null
  if (intent === 'words' && !closure) throw new Rejection(CHANGED_SINCE)
  const { cause, note } = intent === 'close' ? (closure ?? {}) : values
  const rest = intent === 'close' ? { reason: '臨時休業' } : (closure ?? values)
  const span = { first: day, last: day, rhythm: '毎日', weekday: 0 }
  const { special } = parseValues(SpecialDays, { ...noHourFields, ...rest, cause, note, ...span })
  const specialDay = { ...special, ...(stored?.slots && { slots: stored.slots }) }
  const displaced = await listDisplacedBookings(db, clock(), { days: [day], special: specialDay })
  if (values.sure !== 'yes') {
    if (lacksHours(specialDay)) return { status: 409, lacksHours: true }
    const sure = confirmDisplaced(displaced, missingSlots(specialDay, await readUsualRows(db, [day])))
    if (sure.length > 0) return { status: 409, sure }
  }
  const saved = await saveSpecialDays(db, { days: [day], ...specialDay }, new Map([[day, seen]]), author)
  const isUnchanged =
    saved.error === 'conflict' &&
    saved.existing.every(({ reason, cause, note, slots }) =>
      isDeepStrictEqual({ reason, cause, note, slots }, specialDay),
    )
  if (isUnchanged) return { done: `${inWords}は「${specialDay.reason}」です。` }
  const undo = undoOf(unwrap(saved, { conflict: CHANGED_SINCE }))
  const done =
    intent === 'words' ? `${inWords}のお知らせを保存しました。` : `${inWords}を「${specialDay.reason}」にしました。`
  return { done, undo, ...linkToNotice([day], specialDay, dayInJapan(clock())), ...linkToDisplaced(displaced) }
}

export const handle = {
  cache: 'minute',
  parameters: { day: 'uncached' },
  title: ({ asked, asOf, days }: Route.ComponentProps['loaderData']) =>
    asked === addDays(businessDayAt(asOf, days), 1) ? '明日の営業' : '本日の営業',
}

// Fallback for a page that stayed open for longer than a week, until the page has revalidated.
const unknownDay = { inWords: '', open: false, spans: [], special: undefined, slots: noSlots }

export default function TodayPage({ loaderData }: Route.ComponentProps) {
  const { asOf, asked, days, mayEdit, seesControls, refusal, shortage, release, left, sample, stale, backups } =
    loaderData
  const { tables } = loaderData
  const today = businessDayAt(useEveryMinute(asOf), days)
  const tomorrow = addDays(today, 1)
  // After closing time, the URL that showed the hours of tomorrow shows the hours of today.
  const isTomorrow = asked === tomorrow
  const day = isTomorrow ? tomorrow : today
  const state = days.find((each) => each.day === day) ?? { day, ...unknownDay }
  return (
    <div className={`${page.page} ${styles.today}`}>
      <PageTitle title={isTomorrow ? '明日の営業' : '本日の営業'} english={isTomorrow ? 'Tomorrow' : 'Today'} />
      <LiveUpdates
        topics={[
          'hours',
          'specialDays',
          'site',
          'backups',
          ...loaderData.textTopics,
          ...(tables ? (['bookings'] as const) : []),
        ]}
      />
      {!mayEdit && <DeniedNotice sentence={refusal} />}
      {tables && <Requests requests={tables.requests} />}
      <nav aria-label="営業を設定する日" className={settings.tables}>
        <Link to="/today" aria-current={isTomorrow ? undefined : 'page'} preventScrollReset>
          本日
        </Link>
        <Link to={`/today?day=${tomorrow}`} aria-current={isTomorrow ? 'page' : undefined} preventScrollReset>
          明日
        </Link>
      </nav>
      <DayEditor key={day} {...{ state, isTomorrow, mayEdit, seesControls }} />
      {tables && <TablesOfDay bookings={tables.bookings} day={day} title={isTomorrow ? '明日のお席' : '本日のお席'} />}
      {seesControls && (
        <nav aria-label="ほかの日の営業" className={styles.others}>
          <LinkButton to="/bussinessdays">毎週の営業時間</LinkButton>
          <LinkButton to="/bussinessdays?table=special">ほかの日を設定する</LinkButton>
          <LinkButton to="/notices">お知らせ</LinkButton>
        </nav>
      )}
      {mayEdit && (
        <nav aria-label="お品書き" className={styles.others}>
          <LinkButton to="/dining">お品書きと分類</LinkButton>
          <LinkButton to="/dining/prices">価格をまとめて変更</LinkButton>
          <LinkButton to="/dining/print">お品書きの印刷</LinkButton>
        </nav>
      )}
      {shortage && <Notice kind="trouble">{shortage}</Notice>}
      <StaleTranslations records={stale} />
      <Checklist tasks={left} />
      <SampleContent counts={sample} />
      {release && <NewerRelease {...release} />}
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

const Requests = lazyComponent(async () => (await import('../tables/booking-card.tsx')).Requests)
const TablesOfDay = lazyComponent(async () => (await import('../tables/booking-card.tsx')).TablesOfDay)

const MAX_STALE = 10

function StaleTranslations({ records }: { records: Route.ComponentProps['loaderData']['stale'] }) {
  if (records.length === 0) return null
  return (
    <section className={page.section}>
      <h2>日本語のあとに変わっていない文章</h2>
      <ul>
        {records.slice(0, MAX_STALE).map(({ language, group, id, name }) => (
          <li key={`${language} ${group} ${id}`}>
            <Link to={translationsUrl(language, group, id)}>{name}</Link>
          </li>
        ))}
      </ul>
      <LinkButton to="/translations">
        {records.length > MAX_STALE ? `${records.length}件すべてを見る` : '英語の文章'}
      </LinkButton>
    </section>
  )
}

function NewerRelease({ version, notes }: Release) {
  return (
    <section className={page.section}>
      <h2>新しい版</h2>
      <p>
        {`このサイトのプログラムの新しい版 ${version} が公開されています。${OPERATOR}に、更新をご依頼ください。`}{' '}
        <a className="unbroken" href={notes} target="_blank" rel="noopener noreferrer">
          変更点を見る
        </a>
      </p>
    </section>
  )
}
