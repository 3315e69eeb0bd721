import { useLayoutEffect, useRef, useState } from 'react'
import { formatDay } from '../dates/month.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { SAVE_FAILED } from '../forms/save-result.ts'
import { type Saving, useSave } from '../forms/use-save.ts'
import type { DayTexts } from '../hours/business-day.ts'
import type { HoursResult } from '../hours/business-days-result.ts'
import { ConfirmHours } from '../hours/confirm-hours.tsx'
import { DayTextFields } from '../hours/day-text-fields.tsx'
import { HoursFields, ONE_SLOT } from '../hours/hours-fields.tsx'
import { UnbrokenTimes } from '../hours/unbroken-times.tsx'
import { Button } from '../ui/button.tsx'
import type { Route } from './+types/today-page.ts'
import styles from './today-page.module.css'

type DayEditorProps = {
  state: Route.ComponentProps['loaderData']['days'][number]
  isTomorrow: boolean
  mayEdit: boolean
  seesControls: boolean
}

export function DayEditor({ state, isTomorrow, mayEdit, seesControls }: DayEditorProps) {
  const { day, inWords, open, special } = state
  const save = useSave<HoursResult>({ intents: ['close', 'change', 'usual', 'words'], failure: SAVE_FAILED })
  const dayLabel = isTomorrow ? '明日' : '本日'
  const backUrl = isTomorrow ? `/today?day=${day}` : '/today'
  const [pressedIntent, setPressedIntent] = useState<string>()
  const renderOutcome = (intent: string) => (pressedIntent ?? save.answer?.intent) === intent && <Outcome save={save} />
  // The minimum height never shrinks, because a shorter text would move the buttons under the finger.
  const statusText = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    if (statusText.current) statusText.current.style.minHeight = `${statusText.current.offsetHeight}px`
  })
  const hiddenFields = { day, version: special?.version ?? 0 }
  const shared = { save, onPress: setPressedIntent, hiddenFields, dayLabel }
  const hours = useSeenDay(state, save, ['change'])
  // Opening the day on this page discards the notice of its closure.
  const closure = useSeenDay(state, save, ['words', 'change', 'usual'])
  return (
    <>
      <p ref={statusText} className={open ? `${styles.now} ${styles.open}` : styles.now}>
        <strong data-mincho>{formatDay(day)}</strong>
        <UnbrokenTimes text={inWords || '営業時間はまだ登録されていません'} />
        {special?.note && <small>{special.note}</small>}
      </p>
      {seesControls && (
        <fieldset disabled={!mayEdit} className={styles.choices}>
          <legend className="visually-hidden">{`${dayLabel}の営業の変更`}</legend>
          <Choice {...shared} intent="close" name="臨時休業" what={`${dayLabel}をお休みにします`} />
          {save.answer?.intent === 'close' && save.answer.sure && (
            <SaveForm save={save} hiddenFields={hiddenFields}>
              <ConfirmHours back={backUrl} intent="close" label="お休みにする" save={save} />
            </SaveForm>
          )}
          {renderOutcome('close')}
          {mayEdit ? (
            <ChangeForm {...{ ...shared, backUrl, open }} unfolded={isTomorrow} seen={hours} />
          ) : (
            // A fieldset cannot disable the `summary` element of the form, so a button replaces the form.
            <button type="button" className={styles.choice}>
              <ChangeLabel dayLabel={dayLabel} />
            </button>
          )}
          {renderOutcome('change')}
          <Choice
            {...shared}
            intent="usual"
            name="通常どおり"
            what={special ? `「${special.reason}」を取り消します` : '現在は通常どおりです'}
            isIdle={!special}
          />
          {renderOutcome('usual')}
        </fieldset>
      )}
      {mayEdit && <ClosureForm {...shared} seen={closure} />}
      {renderOutcome('words')}
    </>
  )
}

/**
 * Returns the day at the first input into a form, until a save with one of the intents succeeds, so that other saves do
 * not discard the input. After a conflict, the editor has seen the current day, so the next save replaces its version.
 * `round` increases with each of these saves, because the day stays the same if an undo precedes the load.
 */
function useSeenDay(current: DayEditorProps['state'], save: Saving<HoursResult>, intents: string[]) {
  const { answer, isTyped, isRevalidating } = save
  const [seen, setSeen] = useState<{ day: typeof current; version?: number }>()
  const [round, setRound] = useState(0)
  const [handledAnswer, setHandledAnswer] = useState(answer)
  const { day, version = current.special?.version ?? 0 } = seen ?? { day: current }
  if (answer !== handledAnswer && !isRevalidating) {
    setHandledAnswer(answer)
    if (answer?.isOutdated) setSeen(seen && { day })
    else if (answer?.done && !isTyped && intents.includes(answer.intent ?? '')) {
      setSeen(undefined)
      setRound(round + 1)
    }
  }
  return { day, round, hiddenFields: { day: day.day, version }, onInput: () => setSeen({ day, version }) }
}

type SeenDay = ReturnType<typeof useSeenDay>

type SharedProps = {
  save: Saving<HoursResult>
  onPress: (intent: string) => void
  hiddenFields: Record<string, string | number>
  /** The word 本日 or 明日 for the labels. */
  dayLabel: string
}

function ClosureForm({ save, onPress, dayLabel, seen }: SharedProps & { seen: SeenDay }) {
  const { open, special } = seen.day
  if (!special || open) return null
  return (
    <SaveForm save={save} className={styles.words} hiddenFields={seen.hiddenFields} onInput={seen.onInput}>
      <h2>{`${dayLabel}のお休みについて、お客さまへ`}</h2>
      <DayTextFields
        key={JSON.stringify([seen.round, special.cause, special.note])}
        words={special}
        errors={save.answer?.intent === 'words' ? save.errors : undefined}
      />
      <Button type="submit" name="intent" value="words" aria-disabled={save.busy} onClick={() => onPress('words')}>
        お知らせを保存する
      </Button>
    </SaveForm>
  )
}

type ChoiceProps = SharedProps & {
  intent: string
  name: string
  what: string
  /** Whether the choice already applies. An idle button stays focusable, so that the focus is not lost after a save. */
  isIdle?: boolean
}

function Choice({ save, onPress, hiddenFields, intent, name, what, isIdle = false }: ChoiceProps) {
  return (
    <SaveForm save={save} hiddenFields={hiddenFields}>
      <button
        type="submit"
        name="intent"
        value={intent}
        className={isIdle ? `${styles.choice} ${styles.idle}` : styles.choice}
        aria-disabled={isIdle || save.busy}
        onClick={(event) => (isIdle ? event.preventDefault() : onPress(intent))}
      >
        <span data-mincho>{name}</span>
        <small>{what}</small>
      </button>
    </SaveForm>
  )
}

function ChangeLabel({ dayLabel }: { dayLabel: string }) {
  return (
    <>
      <span data-mincho>時間変更</span>
      <small>{`${dayLabel}だけの時間を決めます`}</small>
    </>
  )
}

type ChangeFormProps = SharedProps & {
  backUrl: string
  unfolded: boolean
  open: boolean
  seen: SeenDay
}

function ChangeForm(props: ChangeFormProps) {
  const { save, onPress, dayLabel, backUrl, unfolded, open, seen } = props
  const { day, round, hiddenFields, onInput } = seen
  const { slots } = day
  const words: DayTexts = (day.open && day.special) || {}
  const { answer, errors } = save.answer?.intent === 'change' ? save : {}
  return (
    <details className={styles.change} open={unfolded || Boolean(errors || answer?.sure || answer?.lacksHours)}>
      <summary className={styles.choice}>
        <ChangeLabel dayLabel={dayLabel} />
      </summary>
      <SaveForm save={save} {...{ hiddenFields, onInput }} key={JSON.stringify([round, slots, words])}>
        <input type="hidden" name="reason" value={open ? '営業時間変更' : '臨時営業'} />
        <HoursFields of={dayLabel} slots={slots} errors={errors} />
        <p className={styles.hint}>{ONE_SLOT}</p>
        <DayTextFields words={words} errors={errors} />
        {answer?.lacksHours || answer?.sure ? (
          <ConfirmHours back={backUrl} intent="change" label="この時間にする" save={save} />
        ) : (
          <Button
            type="submit"
            name="intent"
            value="change"
            primary
            aria-disabled={save.busy}
            onClick={() => onPress('change')}
          >
            この時間にする
          </Button>
        )}
      </SaveForm>
    </details>
  )
}
