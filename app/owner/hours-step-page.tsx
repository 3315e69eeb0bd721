import { dayInJapan } from '../dates/japan.ts'
import { answered, orFailed, refused } from '../forms/answered.server.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { SAVE_FAILED } from '../forms/save-answer.ts'
import { seenIn } from '../forms/seen-version.ts'
import { useSave } from '../forms/use-save.ts'
import { scheduleRows, spansOf } from '../hours/business-day.ts'
import { listOpenedClosedDays, readWeek, saveWeek } from '../hours/business-days.server.ts'
import type { HoursAnswer } from '../hours/business-days-answer.ts'
import { groupFields } from '../hours/groups.ts'
import { parseWeekOfGroups } from '../hours/parse-week.ts'
import { ClosedDaysQuestion } from '../hours/question.tsx'
import { WeekGroups } from '../hours/week-groups.tsx'
import { mayEditSite, refusalOfAdministration, refusedAdministrators } from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { authorOf, contextOf } from '../request.ts'
import type { Route } from './+types/hours-step-page.ts'
import { hasOwnWeek } from './left-to-do.server.ts'
import { after, titleOf } from './steps.ts'
import { StepForm, WelcomeStep } from './welcome-step.tsx'

const STEP = 3

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertAllowed(refusalOfAdministration(visitor))
  const { version, schedule } = await readWeek(db)
  // Sample hours are not prefilled, because saved unchanged they would be removed with the sample.
  return { version, schedule: (await hasOwnWeek(db)) ? schedule : null }
}

export function action(given: Route.ActionArgs) {
  return orFailed(given, () => save(given), SAVE_FAILED)
}

async function save({ request, context }: Route.ActionArgs) {
  const { db, visitor } = contextOf(context)
  const form = await readForm(request, ['version', ...groupFields])
  if (!mayEditSite(visitor)) return refused(visitor, refusedAdministrators(visitor))
  const values = Object.fromEntries(form) as Record<string, string>
  const { schedule } = await readWeek(db)
  const read = parseWeekOfGroups(values, schedule)
  if (!read.schedule) return answered(request, { values, errors: read.errors }, 400)
  const { schedule: week } = read
  if (scheduleRows.every((name) => spansOf(week[name].slots).length === 0))
    return answered(request, { values, trouble: NOT_CHOSEN }, 400)
  if (!values.closedDays) {
    const today = dayInJapan(contextOf(context).clock())
    const openedDays = await listOpenedClosedDays(db, today, read.schedule, schedule)
    if (openedDays.length > 0) return answered<HoursAnswer>(request, { values, openedDays }, 409)
  }
  const saved = await saveWeek(db, read.schedule, seenIn(form), authorOf(context))
  if (saved.outcome !== 'saved') return answered(request, { values, trouble: ELSEWHERE }, 409)
  return answered(request, { to: after(STEP), save: saved.save })
}

const NOT_CHOSEN = '営業時間がまだ選ばれていません。決まっていないときは「あとで決める」でお進みください。'
const ELSEWHERE = 'ほかの画面で営業時間が変わっています。このページを読み込みなおして、いまの内容をご確認ください。'

export const handle = { title: titleOf(STEP), cache: 'none' }

export default function HoursStepPage({ loaderData: week }: Route.ComponentProps) {
  const save = useSave<HoursAnswer>({ failure: SAVE_FAILED })
  const days = save.answer?.openedDays
  const question = days && <ClosedDaysQuestion back="/welcome/hours" days={days} busy={save.busy} />
  return (
    <WelcomeStep step={STEP}>
      <StepForm save={save} step={STEP} question={question}>
        <input type="hidden" name="version" value={week.version} />
        <WeekGroups schedule={week.schedule} values={save.answer?.values} errors={save.errors} />
      </StepForm>
    </WelcomeStep>
  )
}
