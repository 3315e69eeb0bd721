import { answered, orFailed, refused } from '../forms/answered.server.ts'
import { TextFact } from '../forms/facts-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { mayEditSite, refusedAdministrators } from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { authorOf, contextOf } from '../request.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import type { SiteFacts } from '../settings/site.ts'
import { factsForm } from '../settings/site-form.ts'
import { siteTexts } from '../settings/site-words.ts'
import { fieldErrors } from '../ui/field-errors.ts'
import type { Route } from './+types/shop-step-page.ts'
import { ownSite } from './left-to-do.server.ts'
import { after, titleOf } from './steps.ts'
import styles from './welcome.module.css'
import { StepForm, WelcomeStep } from './welcome-step.tsx'

const STEP = 2

const names = ['name', 'seal', 'telephone', 'postalCode', 'address'] as const

export async function loader({ context }: Route.LoaderArgs) {
  const { visitor } = contextOf(context)
  if (!mayEditSite(visitor)) return { refusal: refusedAdministrators(visitor), values: null }
  const own = await ownSite(contextOf(context).db)
  return { refusal: null, values: Object.fromEntries(names.map((name) => [name, own[name]])) }
}

export function action(given: Route.ActionArgs) {
  return orFailed(given, () => save(given))
}

async function save({ request, context }: Route.ActionArgs) {
  const { db, visitor } = contextOf(context)
  const form = await readForm(request, names)
  if (!mayEditSite(visitor)) return refused(visitor, refusedAdministrators(visitor))
  const values = Object.fromEntries(names.map((name) => [name, String(form.get(name) ?? '')]))
  // Empty fields are skipped, because the owner can fill them later.
  const given = names.filter((name) => values[name]?.trim())
  const read = factsForm(given).safeParse(values)
  if (!read.success) return answered(request, { values, errors: fieldErrors(read.error.issues) }, 400)
  const { version } = await readSiteToEdit(db)
  await saveSite(db, { version, facts: read.data satisfies Partial<SiteFacts> }, authorOf(context))
  return answered(request, { to: after(STEP) })
}

export const handle = { title: titleOf(STEP), cache: 'none' }

export default function ShopStepPage({ loaderData: { refusal, values } }: Route.ComponentProps) {
  const save = useSave()
  const shown = { values: save.answer?.values ?? values ?? {}, errors: save.errors, newer: undefined }
  return (
    <WelcomeStep step={STEP} refusal={refusal}>
      {values && (
        <StepForm save={save} step={STEP}>
          <div className={styles.fields}>
            {names.map((name) => (
              <TextFact key={name} name={name} {...siteTexts[name]} {...shown} />
            ))}
          </div>
        </StepForm>
      )}
    </WelcomeStep>
  )
}
