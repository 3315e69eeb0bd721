import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction } from '../forms/form-action.server.ts'
import { unwrap } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { TextSetting } from '../forms/settings-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { contextOf } from '../request.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import { settingsForm } from '../settings/site-form.ts'
import { siteTexts } from '../settings/site-words.ts'
import type { Route } from './+types/shop-step-page.ts'
import { readOwnSettings } from './checklist.server.ts'
import styles from './welcome.module.css'
import { pathAfter, StepForm, stepTitle } from './welcome-step.tsx'

const STEP = 2

const names = ['name', 'seal', 'telephone', 'postalCode', 'address'] as const

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertAllowed(refusalOfAdministration(visitor))
  const own = await readOwnSettings(db)
  return Object.fromEntries(names.map((name) => [name, own[name]]))
}

export const action = formAction(
  { fields: names, refusal: refusalOfAdministration },
  async ({ db, form, field, author }) => {
    // Empty fields are skipped, because the checklist lists them later.
    const filled = names.filter((name) => field(name).trim())
    const facts = parseValues(settingsForm(filled), Object.fromEntries(form))
    const { version } = await readSiteToEdit(db)
    unwrap(await saveSite(db, { version, facts }, author))
    return { to: pathAfter(STEP) }
  },
)

export const handle = { title: stepTitle(STEP), cache: 'none' }

export default function ShopStepPage({ loaderData }: Route.ComponentProps) {
  const save = useSave()
  const state = { values: loaderData, errors: save.errors, newer: undefined }
  return (
    <StepForm save={save} step={STEP}>
      <div className={styles.fields}>
        {names.map((name) => (
          <TextSetting key={name} name={name} {...siteTexts[name]} {...state} />
        ))}
      </div>
    </StepForm>
  )
}
