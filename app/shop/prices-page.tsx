import { useState } from 'react'
import { listCards, savePrices } from '../cards/cards.server.ts'
import { type PriceChanges, PricesForm, priceErrorName } from '../cards/price-changes.ts'
import { groupBySection } from '../cards/sections-of-cards.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction } from '../forms/form-action.server.ts'
import { runOnce, submissionKeyOf } from '../forms/idempotency.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { checkFields, parseFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { type SaveResult, undoOf } from '../forms/save-result.ts'
import { NewerValue } from '../forms/settings-form.tsx'
import { UnsavedChangesPrompt } from '../forms/unsaved-changes-prompt.tsx'
import { useDraft } from '../forms/use-draft.ts'
import { useSave } from '../forms/use-save.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { refusalOfCalendar } from '../permissions.ts'
import { contextOf } from '../request.ts'
import { listSections } from '../sections/sections.server.ts'
import { readSite } from '../settings/site.server.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/prices-page.ts'
import styles from './prices-page.module.css'

/** Result of the form. `newer` has the current prices, by ID, that another author has changed. */
type PricesResult = SaveResult & { newer?: Record<string, string> }

const CONFLICT = 'ほかの方が先にこの価格を変えました。「現在の内容」と見比べて、よろしければもう一度保存してください。'

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertAllowed(refusalOfCalendar(visitor, await readSite(db)))
  const groups = groupBySection(await listSections(db), await listCards(db, 'dining', { drafts: true }))
  return groups.map(({ section, cards }) => ({
    id: section?.id ?? '',
    name: section?.name,
    dishes: cards.map(({ id, title, price }) => ({ id, title, price })),
  }))
}

export const action = formAction<PricesResult>(
  { fields: ['changes', 'once'], refusal: refusalOfCalendar },
  async (submission) => {
    const { db, form, author } = submission
    const { changes } = parseFields(PricesForm, form)
    return runOnce(db, submissionKeyOf(submission, 'prices'), async (trx): Promise<PricesResult> => {
      const result = await savePrices(trx, changes, author)
      if (result.error === 'conflict') {
        const errors = Object.fromEntries(Object.keys(result.prices).map((id) => [priceErrorName(id), [CONFLICT]]))
        const conflict: PricesResult = { errors, newer: result.prices }
        throw new Rejection(conflict)
      }
      const { save, changed, deleted } = unwrap(result)
      const done = [
        changed > 0 ? `${changed}品の価格を保存しました。` : '変更はありませんでした。',
        deleted > 0 ? '削除された料理の価格は保存していません。' : '',
      ]
      return { done: done.join(''), ...(save && { undo: undoOf(save) }), to: '/dining' }
    })
  },
)

const TITLE = '価格の変更'

export const handle = { cache: 'none', title: TITLE }

export default function PricesPage({ loaderData: groups }: Route.ComponentProps) {
  const save = useSave<PricesResult>({ check: checkFields(PricesForm) })
  const { answer, busy, errors } = save
  const newer = answer?.newer
  const [changes, setChanges] = useState<PriceChanges>({})
  const [handledAnswer, setHandledAnswer] = useState(answer)
  if (answer !== handledAnswer) {
    setHandledAnswer(answer)
    for (const [id, seen] of Object.entries(newer ?? {}))
      setChanges((changes) => ({ ...changes, [id]: { seen, price: changes[id]?.price ?? seen } }))
  }
  const draft = useDraft({
    name: 'prices',
    start: { changes: '{}' },
    save,
    onRestore: (draft) => setChanges(JSON.parse(draft?.values.changes ?? '{}')),
  })
  const type = (id: string, stored: string, price: string) =>
    setChanges(({ [id]: { seen } = { seen: stored }, ...others }) =>
      price === seen ? others : { ...others, [id]: { seen, price } },
    )
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['dining']} />
      <PageTitle title={TITLE} english="Prices" />
      <p className={styles.hint}>
        変えたい価格だけを書き換えてください。「小 800、大
        1200」「時価」「お問い合わせください」とも書けます（数字のキーボードが出たときは、いったん空欄にしてください）。
      </p>
      <UnsavedChangesPrompt
        asks={Object.keys(changes).length > 0 && !busy && answer?.to === undefined}
        sentence="入力した価格はまだ保存されていません。このページを離れますか？"
        confirm="離れる"
      >
        <p>入力した価格はこのブラウザに残り、次にこのページを開いたときに続きを入力できます。</p>
      </UnsavedChangesPrompt>
      <SaveForm save={save} draft={draft} once="" hiddenFields={{ changes: JSON.stringify(changes) }}>
        {groups.map(({ id, name, dishes }) => (
          <fieldset key={id} className={styles.group} role={groups.length > 1 ? undefined : 'none'}>
            {groups.length > 1 && <legend>{name ?? '分類なし'}</legend>}
            {dishes.map(({ id, title, price }) => {
              const error = errors?.[priceErrorName(id)]
              const isNumber = /^\d+$/.test(price)
              return (
                <div key={id} className={isNumber ? styles.price : `${styles.price} ${styles.long}`}>
                  <label htmlFor={id}>{title}</label>
                  <input
                    id={id}
                    value={changes[id]?.price ?? price}
                    onChange={({ target }) => {
                      // The number pad of a phone has no letters.
                      if (target.value === '') target.inputMode = 'text'
                      type(id, price, target.value)
                    }}
                    // A number is usually replaced as a whole.
                    onFocus={({ target }) => isNumber && target.select()}
                    inputMode={isNumber ? 'numeric' : undefined}
                    autoComplete="off"
                    aria-invalid={error && true}
                    aria-describedby={error && `${id}-error`}
                  />
                  {error && (
                    <p id={`${id}-error`} className={styles.error}>
                      {error.join(' ')}
                    </p>
                  )}
                  <NewerValue name={id} newer={newer && { version: 0, values: newer, clashes: Object.keys(newer) }} />
                </div>
              )
            })}
          </fieldset>
        ))}
        <div className={styles.save}>
          <SubmitButton busy={busy}>保存する</SubmitButton>
        </div>
        <Outcome save={save} />
      </SaveForm>
    </div>
  )
}
