import { slotsOf } from '../business-days/business-day.ts'
import { readWeek, saveWeek } from '../business-days/business-days.server.ts'
import { groupFields } from '../business-days/groups.ts'
import { weekOfGroups } from '../business-days/week-as-sent.ts'
import { WeekGroups } from '../business-days/week-groups.tsx'
import { readForm } from '../form.server.ts'
import { pageMeta } from '../frame/page-meta.ts'
import { mayEditSite, refusedAdministrators } from '../permissions.ts'
import { authorOf, dbKey, visitorKey } from '../request.ts'
import { answered, orFailed, refused } from '../saving/answered.server.ts'
import { SAVE_FAILED } from '../saving/save-answer.ts'
import { useSave } from '../saving/use-save.ts'
import type { Route } from './+types/hours-step-page.ts'
import { hasOwnWeek } from './left-to-do.server.ts'
import { StepForm } from './step-form.tsx'
import { after, titleOf } from './steps.ts'
import { WelcomeStep } from './welcome-step.tsx'

const STEP = 3

export const headers = () => ({ 'cache-control': 'private, no-store' })

export async function loader({ context }: Route.LoaderArgs) {
  const visitor = context.get(visitorKey)
  if (!mayEditSite(visitor)) return { refusal: refusedAdministrators(visitor), week: null }
  const db = context.get(dbKey)
  const { version, schedule } = await readWeek(db)
  // The sample's hours are nobody's to begin with: left as they are they would go with the sample.
  return { refusal: null, week: { version, schedule: (await hasOwnWeek(db)) ? schedule : null } }
}

export function action(given: Route.ActionArgs) {
  return orFailed(given, () => save(given), SAVE_FAILED)
}

async function save({ request, context }: Route.ActionArgs) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const form = await readForm(request, ['version', ...groupFields])
  if (!mayEditSite(visitor)) return refused(visitor, refusedAdministrators(visitor))
  const values = Object.fromEntries(form) as Record<string, string>
  const { schedule } = await readWeek(db)
  const read = weekOfGroups(values, schedule)
  if (!read.schedule) return answered(request, { values, errors: read.errors }, 400)
  if (Object.values(read.schedule).every((row) => slotsOf(row).length === 0))
    return answered(request, { values, trouble: NOT_CHOSEN }, 400)
  const seen = { version: Number(values.version), overwriting: false }
  const { outcome } = await saveWeek(db, read.schedule, seen, authorOf(context))
  if (outcome !== 'saved') return answered(request, { values, trouble: ELSEWHERE }, 409)
  return answered(request, { to: after(STEP) })
}

const NOT_CHOSEN = '営業時間がまだ選ばれていません。決まっていないときは「あとで決める」でお進みください。'
const ELSEWHERE = 'ほかの画面で営業時間が変わっています。このページを読み込みなおして、いまの内容をご確認ください。'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: titleOf(STEP), path: '/welcome/hours', listed: false })
}

export default function HoursStepPage({ loaderData: { refusal, week } }: Route.ComponentProps) {
  const save = useSave({ failure: SAVE_FAILED })
  return (
    <WelcomeStep step={STEP} refusal={refusal}>
      {week && (
        <StepForm save={save} step={STEP}>
          <input type="hidden" name="version" value={week.version} />
          <WeekGroups schedule={week.schedule} values={save.answer?.values} errors={save.errors} />
        </StepForm>
      )}
    </WelcomeStep>
  )
}
