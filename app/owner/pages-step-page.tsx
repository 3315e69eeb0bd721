import { inTransaction } from '../../db/transaction.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction } from '../forms/form-action.server.ts'
import { unwrap } from '../forms/outcome.ts'
import { useSave } from '../forms/use-save.ts'
import { type KnownPage, listPages, readPageToEdit, savePage } from '../pages/pages.server.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { contextOf } from '../request.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import type { Route } from './+types/pages-step-page.ts'
import { siteUseNames, siteUses } from './site-uses.ts'
import styles from './welcome.module.css'
import { pathAfter, StepForm, stepTitle } from './welcome-step.tsx'

const STEP = 5

function shownUses(pages: KnownPage[]) {
  const shown = new Set<string>(pages.filter((each) => each.shown).map(({ id }) => id))
  return siteUseNames.filter((use) => siteUses[use].pages.some((name) => shown.has(name)))
}

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertAllowed(refusalOfAdministration(visitor))
  const { facts } = await readSiteToEdit(db)
  return { uses: shownUses(await listPages(db)), byStaffOnly: facts.dishesAndCalendarByStaffOnly }
}

export const action = formAction(
  { fields: [...siteUseNames, 'editors'], refusal: refusalOfAdministration },
  async ({ db, field, author }) => {
    await inTransaction(db, async (trx) => {
      const before = shownUses(await listPages(trx))
      for (const use of siteUseNames) {
        const shown = field(use) === 'on'
        // An unchanged choice must not override the settings of single pages.
        if (shown === before.includes(use)) continue
        for (const name of siteUses[use].pages) {
          const now = await readPageToEdit(trx, name)
          if (now) unwrap(await savePage(trx, now.id, { version: now.version, facts: { shown } }, author))
        }
      }
      const { version } = await readSiteToEdit(trx)
      const facts = { dishesAndCalendarByStaffOnly: field('editors') !== 'members' }
      unwrap(await saveSite(trx, { version, facts }, author))
    })
    return { done: 'はじめての設定が終わりました。残りは「本日の営業」の下に並んでいます。', to: pathAfter(STEP) }
  },
)

export const handle = { title: stepTitle(STEP), cache: 'none' }

export default function PagesStepPage({ loaderData: chosen }: Route.ComponentProps) {
  const save = useSave()
  return (
    <StepForm save={save} step={STEP}>
      <fieldset className={styles.choices}>
        <legend>お店のほかに載せるもの</legend>
        {siteUseNames.map((use) => (
          <label key={use}>
            <input type="checkbox" name={use} defaultChecked={chosen.uses.includes(use)} />
            <span>
              <b>{siteUses[use].label}</b>
              {siteUses[use].what}
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset className={`${styles.choices} ${styles.editors}`}>
        <legend>お料理と営業日、予定を編集する人</legend>
        <label>
          <input type="radio" name="editors" value="staff" defaultChecked={chosen.byStaffOnly} />
          <span>
            <b>スタッフだけ</b>
            あなたと、あとから招待する方
          </span>
        </label>
        <label>
          <input type="radio" name="editors" value="members" defaultChecked={!chosen.byStaffOnly} />
          <span>
            <b>承認したサークルのメンバーも</b>
            テニスサークルのメンバーも、お店の内容を編集できます
          </span>
        </label>
      </fieldset>
    </StepForm>
  )
}
