import { X } from 'lucide'
import { Fragment, type MouseEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import type { Day } from '../dates/month.ts'
import { DeniedNotice } from '../forms/denied-notice.tsx'
import { Done, Outcome, SaveForm } from '../forms/save-form.tsx'
import { UnsavedChangesPrompt } from '../forms/unsaved-changes-prompt.tsx'
import { useDraft } from '../forms/use-draft.ts'
import { useSave } from '../forms/use-save.ts'
import { isPeriodField } from '../sections/display-rules.ts'
import type { Section } from '../sections/section.ts'
import { TranslationLinks } from '../translations/translation-links.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { fieldErrors } from '../ui/field-errors.ts'
import { Icon } from '../ui/icon.tsx'
import { Notice } from '../ui/notice.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { type Card, type CollectionName, cardSchema, collectionOf, type Field, isRequired } from './card.ts'
import { CardField, ConflictChoice } from './card-fields.tsx'
import styles from './card-form.module.css'
import { type CardValues, readCardValues, toCardValues } from './card-form-values.ts'
import { CardPreview } from './card-preview.tsx'
import type { CardResult } from './card-result.ts'
import { cardName, FALLBACK_NAME } from './editing.ts'

type Props = {
  collection: CollectionName
  /** Null for a new card. */
  item: Card | null
  blank?: Partial<Card> | undefined
  today?: Day
  sections?: Pick<Section, 'id' | 'name'>[]
  mayEdit: boolean
  refusal: string
  /** Whether the form is the sheet over the dining page. The sheet has no preview. */
  sheet?: boolean
  /** Name of the draft of a new card, if the card is a duplicate. */
  draftName?: string
  /** Runs after a card was added and the form must open again with the values in `answer.blank`. */
  onAdded?: (answer: CardResult) => void
  /** The result of the last added card. Set if the form has opened again. */
  added?: CardResult | undefined
}

export function titleOf(collection: CollectionName, name: string, item: Card | null) {
  return `${collection === 'home' ? 'スライド' : name}の${item ? '編集' : '追加'}`
}

export function CardForm(props: Props) {
  const { collection, item, blank, today, sections, mayEdit, refusal, sheet = false } = props
  const { draftName = `${collection} ${item?.id ?? 'new'}`, onAdded, added } = props
  const form = useRef<HTMLFormElement>(null)
  const [initial] = useState(() => ({ values: toCardValues(item ?? blank ?? {}), version: item?.version ?? 0 }))
  const save = useSave<CardResult>({
    check: (form) => validate(form, props),
    replaces: sheet,
    onDone: (answer) => answer.blank && onAdded?.(answer),
  })
  const { answer, errors, busy } = save
  const { seen, show, typed, updateTyped } = useCardValues(form, answer, initial)
  const hasInput = JSON.stringify(typed) !== JSON.stringify(initial.values)
  const isSaved = answer?.to !== undefined
  const draft = useDraft({
    name: mayEdit ? draftName : null,
    version: seen.version,
    start: initial.values,
    save,
    read: (form) => readCardValues(new FormData(form)),
    onRestore: (draft) =>
      show({ values: { ...initial.values, ...draft?.values }, version: draft?.version ?? initial.version }),
  })
  const conflictNotice = useConflictFocus(form, answer)
  const [deleting, setDeleting] = useState(false)

  const deleteCard = () => {
    setDeleting(false)
    if (!form.current) return
    const once = String(new FormData(form.current).get('once') ?? '')
    save.send({ intent: 'delete', version: String(answer?.changed?.version ?? seen.version), once })
  }

  return (
    <div className={sheet ? undefined : styles.columns}>
      <div className={sheet ? styles.sheet : undefined}>
        {!sheet && (
          <Link to={collectionOf(collection).path} className={styles.close}>
            <Icon of={X} size={24} label="閉じる" />
          </Link>
        )}
        <UnsavedChangesPrompt
          asks={hasInput && mayEdit && !busy && !isSaved}
          sentence="入力した内容はまだ保存されていません。この画面を閉じますか？"
          confirm="閉じる"
        >
          <p>入力した内容はこのブラウザに残り、次にこの画面を開いたときに続きを入力できます。</p>
        </UnsavedChangesPrompt>
        {!mayEdit && <DeniedNotice sentence={refusal} />}
        {added?.done && (
          <div className={styles.added}>
            <Done done={added.done} undo={added.undo} />
          </div>
        )}
        <SaveForm save={save} draft={draft} ref={form} once="" onInput={updateTyped}>
          <fieldset role="none" disabled={!mayEdit} className={styles.fields}>
            <input type="hidden" name="version" value={seen.version} />
            <input type="hidden" name="collection" value={collection} />
            {item && <input type="hidden" name="id" value={item.id} />}
            <div key={seen.round}>
              <Fields
                {...{ collection, item, sheet, today, sections, seen, typed, errors, conflictNotice }}
                autoFocus={added && 'title'}
              />
            </div>
            <FormButtons isNew={!item} busy={busy} sheet={sheet} onDelete={() => setDeleting(true)} />
            <Outcome save={save}>
              {answer?.changed && 'ほかの方が先に変更しました。よろしければ、もう一度「削除する」を押してください。'}
            </Outcome>
          </fieldset>
        </SaveForm>
        {item && mayEdit && <TranslationLinks group={collection} id={item.id} />}
        {item && sheet && (
          <p className={styles.whole}>
            <Link to={`/dining/new/add?from=${item.id}`} state={{ over: true }} replace preventScrollReset>
              複製する
            </Link>
            <Link to={`/firestoreservice/${item.id}/edit`}>変更履歴を見る</Link>
          </p>
        )}
      </div>
      {!sheet && <CardPreview collection={collection} values={typed} />}
      {deleting && (
        <Confirm
          sentence={confirmSentence(answer?.changed?.name ?? cardName(item ?? typed))}
          onConfirm={deleteCard}
          onCancel={() => setDeleting(false)}
        />
      )}
    </div>
  )
}

function validate(form: FormData, { collection, item, sheet }: Props) {
  const parsed = cardSchema(collection, { generic: !sheet, stored: item }).safeParse(readCardValues(form))
  const errors = parsed.success ? {} : fieldErrors(parsed.error.issues)
  const ownErrors = Object.entries(errors).filter(([field]) => form.get(`choice.${field}`) !== 'theirs')
  return ownErrors.length > 0 ? Object.fromEntries(ownErrors) : null
}

type FieldsProps = Pick<Props, 'collection' | 'item' | 'sheet' | 'today' | 'sections'> & {
  seen: SeenCard
  typed: CardValues
  errors: Record<string, string[]> | undefined
  conflictNotice: RefObject<HTMLDivElement | null>
  autoFocus?: Field | undefined
}

function Fields(props: FieldsProps) {
  const { collection, item, sheet, today, sections = [], seen, typed, errors, conflictNotice, autoFocus } = props
  const { values, conflict } = seen
  const controlOf = (field: Field) => {
    const required = isRequired(field, collection, { generic: !sheet, stored: item })
    const shown = { value: values[field], typed: typed[field], errors: errors?.[field] }
    const common = { field, collection, required, today, sections, autoFocus: field === autoFocus }
    const control = <CardField key={field} {...common} {...shown} />
    if (!conflict?.fields.includes(field)) return control
    return (
      <Fragment key={field}>
        {field === conflict.fields[0] && (
          <div ref={conflictNotice} className={styles.choices}>
            <Notice kind="trouble">
              ほかの方が先に同じところを保存しました。どちらを残すかをお選びのうえ、もう一度保存してください。
            </Notice>
          </div>
        )}
        <ConflictChoice {...{ field, collection, sections }} theirs={conflict.theirs[field]}>
          {control}
        </ConflictChoice>
      </Fragment>
    )
  }
  const fields = orderedFields(collection)
  const period = fields.filter((field) => isPeriodField(field))
  const isPeriodOpen = period.some((field) => values[field] || errors?.[field] || conflict?.fields.includes(field))
  return (
    <>
      {fields.filter((field) => !period.includes(field)).map(controlOf)}
      {period.length > 0 && <Period open={isPeriodOpen}>{period.map(controlOf)}</Period>}
    </>
  )
}

// Stays open when a field was emptied or an error was corrected.
function Period({ open, children }: { open: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(open)
  return (
    <details open={isOpen || open} onToggle={(event) => setOpen(event.currentTarget.open)} className={styles.further}>
      <summary>表示する期間（任意）</summary>
      {children}
    </details>
  )
}

type ButtonsProps = { isNew: boolean; busy: boolean; sheet: boolean; onDelete: () => void }

const keepFocus = (event: MouseEvent) => event.preventDefault()

function FormButtons({ isNew, busy, sheet, onDelete }: ButtonsProps) {
  return (
    <div className={sheet ? `${styles.actions} ${styles.sticky}` : styles.actions}>
      <SubmitButton name="intent" value={isNew ? 'add' : 'save'} busy={busy}>
        {isNew ? '追加する' : '保存する'}
      </SubmitButton>
      {isNew && sheet && (
        // The keyboard of a phone stays open only while the focus is in a field.
        <Button type="submit" name="intent" value="add next" aria-disabled={busy} onMouseDown={keepFocus}>
          続けて追加
        </Button>
      )}
      {!isNew && <Button onClick={onDelete}>削除する</Button>}
    </div>
  )
}

// Staff add dishes at the table with a phone, so the image, name and price come first.
const firstDishFields: Field[] = ['image', 'imageAlt', 'title', 'price', 'section', 'content']

function orderedFields(collection: CollectionName): Field[] {
  const fields: readonly Field[] = collectionOf(collection).fields
  if (collection !== 'dining') return [...fields]
  return [...firstDishFields, ...fields.filter((field) => !firstDishFields.includes(field))]
}

type SeenCard = { version: number; values: CardValues; conflict?: CardResult['conflict'] }

// A live update must not advance the seen version, because a save would overwrite changes that the editor has not seen.
function useCardValues(form: RefObject<HTMLFormElement | null>, answer: CardResult | undefined, initial: SeenCard) {
  const [seen, setSeen] = useState({ ...initial, round: 0 })
  const [typed, setTyped] = useState(initial.values)
  const show = (next: SeenCard) => {
    setSeen(({ round }) => ({ ...next, round: round + 1 }))
    setTyped(next.values)
  }
  const [handledAnswer, setHandledAnswer] = useState(answer)
  if (answer !== handledAnswer) {
    setHandledAnswer(answer)
    const { conflict, values } = answer ?? {}
    if (conflict && values) show({ values, version: conflict.version, conflict })
  }
  const readTyped = () => form.current && setTyped(readCardValues(new FormData(form.current)))
  const updateTyped = () => {
    readTyped()
    // A new month may change the selected day in the next render.
    setTimeout(readTyped)
  }
  return { seen, show, typed, updateTyped }
}

function useConflictFocus(form: RefObject<HTMLFormElement | null>, answer: CardResult | undefined) {
  const notice = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!answer?.conflict) return
    form.current?.querySelector<HTMLElement>('[name^="choice."]')?.focus({ preventScroll: true })
    notice.current?.scrollIntoView()
  }, [answer])
  return notice
}

function confirmSentence(name: string) {
  return `${name === FALLBACK_NAME ? name : `「${name}」`}を本当に削除しますか？`
}
