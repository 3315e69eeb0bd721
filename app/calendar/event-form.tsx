import { useEffect, useRef, useState } from 'react'
import type { Day } from '../dates/month.ts'
import type { Values } from '../forms/drafts.ts'
import { type FormState, InputField } from '../forms/input-field.tsx'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import styles from './event-form.module.css'
import { describeOvernight, MEMBERS_ONLY, type ShownEvent } from './event-format.ts'
import { RepetitionFields, ScopeField } from './repetition-fields.tsx'
import { useCalendarData } from './use-calendar-data.ts'

type Props = FormState & {
  /** The first day of a new event, which may be the first one of a series. */
  repeatsFrom?: Day
}

export function eventFormValues(event: ShownEvent | null): Values {
  return {
    title: event?.title ?? '',
    content: event?.content ?? '',
    startTime: event?.startTime ?? '',
    endTime: event?.endTime ?? '',
    overnight: (event && describeOvernight(event)?.times) ?? '',
    attendance: event?.attendance ? 'yes' : '',
    capacity: String(event?.capacity ?? ''),
    deadline: event?.deadline ?? '',
    deadlineTime: event?.deadlineTime ?? '',
    membersOnly: event?.membersOnly ? 'yes' : '',
    ...(event?.seriesId && { scope: 'one' }),
  }
}

export function EventFields({ repeatsFrom, ...state }: Props) {
  const { values, errors } = state
  const { hasCircle } = useCalendarData()
  const { timesRef, input, rejectedInput } = useFormInput(values, errors)
  const overnight = describeOvernight(rejectedInput)
  const isRepeated = Boolean(repeatsFrom && input.recurrence)
  return (
    <>
      <InputField
        label="タイトル"
        required
        name="title"
        className={styles.title}
        maxLength={maxCodeUnits(100)}
        placeholder="5〜7文字（カレンダーに表示されます）"
        autoComplete="off"
        {...state}
      />
      <Field label="内容" errors={errors?.content}>
        {(wiring) => (
          <textarea {...wiring} name="content" rows={3} maxLength={maxCodeUnits(5000)} defaultValue={values.content} />
        )}
      </Field>
      <div ref={timesRef} className={styles.pair}>
        <InputField label="開始（任意）" type="time" name="startTime" {...state} />
        <InputField label="終了（任意）" type="time" name="endTime" {...state} />
      </div>
      {overnight && (
        <label key={overnight.times} className={styles.mark}>
          <input
            type="checkbox"
            name="overnight"
            value={overnight.times}
            defaultChecked={values.overnight === overnight.times}
          />
          {`${overnight.end}に終わる（${overnight.duration}）`}
        </label>
      )}
      {hasCircle && (
        <Field label="公開範囲" errors={errors?.membersOnly}>
          {(wiring) => (
            <select {...wiring} name="membersOnly" defaultValue={values.membersOnly}>
              <option value="">すべての方</option>
              <option value="yes">{MEMBERS_ONLY}</option>
            </select>
          )}
        </Field>
      )}
      {repeatsFrom && <RepetitionFields day={repeatsFrom} isRepeated={isRepeated} {...state} />}
      {hasCircle && <RsvpFields {...state} takesRsvps={input.attendance === 'yes'} isRepeated={isRepeated} />}
      {values.scope && <ScopeField value={values.scope} />}
    </>
  )
}

/**
 * Returns the present input of the form, and the last input that the server has rejected. Both are the initial values at
 * first and after a reset.
 */
function useFormInput(values: Values, errors: FormState['errors']) {
  const timesRef = useRef<HTMLDivElement>(null)
  const [input, setInput] = useState(values)
  const [rejectedInput, setRejectedInput] = useState(values)
  useEffect(() => {
    const form = timesRef.current?.closest('form')
    if (!form) return
    const readInput = () => Object.fromEntries(new FormData(form)) as Values
    // The visitor may have changed the form before its hydration.
    setInput((known) => ({ ...known, ...readInput() }))
    if (errors) setRejectedInput(readInput())
    const onChange = () => setInput(readInput())
    const onReset = () => {
      setInput(values)
      setRejectedInput(values)
    }
    form.addEventListener('change', onChange)
    form.addEventListener('reset', onReset)
    return () => {
      form.removeEventListener('change', onChange)
      form.removeEventListener('reset', onReset)
    }
  }, [errors])
  return { timesRef, input, rejectedInput }
}

type RsvpProps = FormState & { takesRsvps: boolean; isRepeated: boolean }

// A disabled fieldset is hidden, so that a hidden field can neither be invalid nor be saved.
function RsvpFields({ takesRsvps, isRepeated, ...state }: RsvpProps) {
  const { sendsMail } = useCalendarData()
  return (
    <div className={styles.attendance}>
      <label className={styles.mark}>
        <input type="checkbox" name="attendance" value="yes" defaultChecked={state.values.attendance === 'yes'} />
        メンバーの出欠をとる
      </label>
      <fieldset role="none" disabled={!takesRsvps} className={`${styles.optional} ${styles.pair}`}>
        <InputField label="定員（任意）" name="capacity" type="number" min={1} max={999} {...state} />
        {isRepeated ? (
          <InputField key="days" label="締切は各回の何日前（任意）" type="number" name="deadlineDays" {...state} />
        ) : (
          <InputField key="day" label="締切の日（任意）" type="date" name="deadline" {...state} />
        )}
        <InputField label="締切の時刻（任意）" type="time" name="deadlineTime" {...state} />
        <p>
          {sendsMail
            ? '予定の変更や中止は、5分後に、回答した方へメールでお知らせします。締切の2日前には、未回答の方にもお知らせします。'
            : 'このサイトではメールをお送りできません。予定の変更や中止は、回答した方へ直接お知らせください。'}
        </p>
      </fieldset>
    </div>
  )
}
