import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { type Day, formatDay } from '../dates/month.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { SAVE_FAILED } from '../forms/save-result.ts'
import { type Saving, useSave } from '../forms/use-save.ts'
import type { DayWords, Slots } from '../hours/business-day.ts'
import type { HoursResult } from '../hours/business-days-result.ts'
import { ConfirmHours } from '../hours/confirm-hours.tsx'
import { DayWordsFields } from '../hours/day-words-fields.tsx'
import { HoursFields, ONE_SLOT } from '../hours/hours-fields.tsx'
import { UnbrokenTimes } from '../hours/unbroken-times.tsx'
import { Button } from '../ui/button.tsx'
import styles from './today-page.module.css'

type DayProps = {
  state: {
    day: Day
    inWords: string
    open: boolean
    special: (DayWords & { reason: string; version: number }) | undefined
    slots: Slots
  }
  isTomorrow: boolean
  mayEdit: boolean
  seesControls: boolean
}

export function DayToChange({ state, isTomorrow, mayEdit, seesControls }: DayProps) {
  const { day, inWords, open, special, slots } = state
  const save = useSave<HoursResult>({ intents: ['close', 'change', 'usual', 'words'], failure: SAVE_FAILED })
  const word = isTomorrow ? '明日' : '本日'
  const [pressed, press] = useState<string>()
  const outcomeOf = (intent: string) => (pressed ?? save.answer?.intent) === intent && <Outcome save={save} />
  const choosing = { save, onPress: press }
  // Never shrinks: shorter text would move the buttons under the finger, and a page at its top cannot scroll.
  const now = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    if (now.current) now.current.style.minHeight = `${now.current.offsetHeight}px`
  })
  const seen = (
    <>
      <input type="hidden" name="day" value={day} />
      <input type="hidden" name="version" value={special?.version ?? 0} />
    </>
  )
  return (
    <>
      <p ref={now} className={open ? `${styles.now} ${styles.open}` : styles.now}>
        <strong data-mincho>{formatDay(day)}</strong>
        <UnbrokenTimes text={inWords || '営業時間はまだ登録されていません'} />
        {special?.note && <small>{special.note}</small>}
      </p>
      {seesControls && (
        <fieldset disabled={!mayEdit} className={styles.choices}>
          <legend className="visually-hidden">{`${word}の営業の変更`}</legend>
          <Choice {...choosing} intent="close" name="臨時休業" what={`${word}をお休みにします`}>
            {seen}
          </Choice>
          {outcomeOf('close')}
          {mayEdit ? (
            <Change
              {...choosing}
              word={word}
              back={isTomorrow ? `/today?day=${day}` : '/today'}
              unfolded={isTomorrow}
              open={open}
              slots={slots}
              words={(open && special) || {}}
            >
              {seen}
            </Change>
          ) : (
            // A fieldset cannot disable a summary.
            <button type="button" className={styles.choice}>
              <ChangeInWords word={word} />
            </button>
          )}
          {outcomeOf('change')}
          <Choice
            {...choosing}
            intent="usual"
            name="通常どおり"
            what={special ? `「${special.reason}」を取り消します` : '現在は通常どおりです'}
            isIdle={!special}
          >
            {seen}
          </Choice>
          {outcomeOf('usual')}
        </fieldset>
      )}
      {mayEdit && special && !open && (
        <ClosureWords {...choosing} word={word} words={special}>
          {seen}
        </ClosureWords>
      )}
      {outcomeOf('words')}
    </>
  )
}

type ClosureProps = Choosing & { word: string; words: DayWords; children: ReactNode }

/** The words for guests about a closed day. */
function ClosureWords({ save, onPress, word, words, children }: ClosureProps) {
  const { cause, note } = words
  return (
    <SaveForm save={save} className={styles.words}>
      <h2>{`${word}のお休みについて、お客さまへ`}</h2>
      {children}
      <DayWordsFields
        key={JSON.stringify([cause, note])}
        words={words}
        errors={save.answer?.intent === 'words' ? save.errors : undefined}
      />
      <Button type="submit" name="intent" value="words" aria-disabled={save.busy} onClick={() => onPress('words')}>
        お知らせを保存する
      </Button>
    </SaveForm>
  )
}

type Choosing = { save: Saving<HoursResult>; onPress: (intent: string) => void }

type ChoiceProps = Choosing & {
  intent: string
  name: string
  what: string
  /** Whether the choice already applies; the button stays focusable, so that success does not drop the focus. */
  isIdle?: boolean
  children: ReactNode
}

function Choice({ save, onPress, intent, name, what, isIdle = false, children }: ChoiceProps) {
  return (
    <SaveForm save={save}>
      {children}
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

function ChangeInWords({ word }: { word: string }) {
  return (
    <>
      <span data-mincho>時間変更</span>
      <small>{`${word}だけの時間を決めます`}</small>
    </>
  )
}

type ChangeProps = Choosing & {
  /** 本日 or 明日. */
  word: string
  back: string
  unfolded: boolean
  open: boolean
  slots: Slots
  words: DayWords
  children: ReactNode
}

function Change({ save, onPress, word, back, unfolded, open, slots, words, children }: ChangeProps) {
  const { busy } = save
  const { answer, errors } = save.answer?.intent === 'words' ? {} : save
  return (
    <details className={styles.change} open={unfolded || Boolean(errors || answer?.sure || answer?.lacksHours)}>
      <summary className={styles.choice}>
        <ChangeInWords word={word} />
      </summary>
      <SaveForm save={save} key={JSON.stringify([slots, words])}>
        {children}
        <input type="hidden" name="reason" value={open ? '営業時間変更' : '臨時営業'} />
        <HoursFields of={word} slots={slots} errors={errors} />
        <p className={styles.hint}>{ONE_SLOT}</p>
        <DayWordsFields words={words} errors={errors} />
        {answer?.lacksHours || answer?.sure ? (
          <ConfirmHours back={back} intent="change" answer={answer} label="この時間にする" busy={busy} />
        ) : (
          <Button
            type="submit"
            name="intent"
            value="change"
            primary
            aria-disabled={busy}
            onClick={() => onPress('change')}
          >
            この時間にする
          </Button>
        )}
      </SaveForm>
    </details>
  )
}
