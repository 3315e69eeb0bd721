import { dayInJapan } from '../dates/japan.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction } from '../forms/form-action.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { SAVE_FAILED } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import { scheduleRows, spansOf } from '../hours/business-day.ts'
import { listOpenedClosedDays, readWeek, saveWeek } from '../hours/business-days.server.ts'
import type { HoursResult } from '../hours/business-days-result.ts'
import { ConfirmClosedDays } from '../hours/confirm-hours.tsx'
import { groupFields } from '../hours/groups.ts'
import { parseWeekOfGroups } from '../hours/parse-week.ts'
import { WeekGroups } from '../hours/week-groups.tsx'
import { refusalOfAdministration } from '../permissions.ts'
import { contextOf } from '../request.ts'
import type { Route } from './+types/hours-step-page.ts'
import { hasOwnWeek } from './checklist.server.ts'
import { pathAfter, StepForm, stepTitle } from './welcome-step.tsx'

const STEP = 3

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertAllowed(refusalOfAdministration(visitor))
  const { version, schedule } = await readWeek(db)
  // Sample hours are not prefilled. If the owner saved these hours unchanged, they would be removed together with the
  // sample content.
  return { version, schedule: (await hasOwnWeek(db)) ? schedule : null }
}

export const action = formAction<HoursResult>(
  { fields: ['version', ...groupFields], refusal: refusalOfAdministration, failure: SAVE_FAILED },
  async ({ db, clock, form, seen, author }) => {
    const values = Object.fromEntries(form) as Record<string, string>
    const { schedule: before } = await readWeek(db)
    const { schedule, errors } = parseWeekOfGroups(values, before)
    if (!schedule) throw new Rejection({ errors }, 400)
    if (scheduleRows.every((name) => spansOf(schedule[name].slots).length === 0)) throw new Rejection(NO_HOURS, 400)
    if (!values.closedDays) {
      const openedDays = await listOpenedClosedDays(db, dayInJapan(clock()), schedule, before)
      if (openedDays.length > 0) return { status: 409, openedDays }
    }
    const save = unwrap(await saveWeek(db, schedule, seen, author), { conflict: CHANGED_ELSEWHERE })
    return { to: pathAfter(STEP), save }
  },
)

const NO_HOURS = '営業時間がまだ選ばれていません。決まっていないときは「あとで設定する」でお進みください。'
const CHANGED_ELSEWHERE =
  'ほかの画面で営業時間が変わっています。このページを再読み込みして、現在の内容をご確認ください。'

export const handle = { title: stepTitle(STEP), cache: 'none' }

export default function HoursStepPage({ loaderData: week }: Route.ComponentProps) {
  const save = useSave<HoursResult>({ failure: SAVE_FAILED })
  const days = save.answer?.openedDays
  const question = days && <ConfirmClosedDays back="/welcome/hours" days={days} save={save} />
  return (
    <StepForm save={save} step={STEP} question={question}>
      <input type="hidden" name="version" value={week.version} />
      <WeekGroups schedule={week.schedule} errors={save.errors} />
    </StepForm>
  )
}
