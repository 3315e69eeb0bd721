import { useEffect, useRef } from 'react'
import { useFetcher } from 'react-router'
import type { Day } from '../dates/month.ts'
import { type FormState, InputField } from '../forms/input-field.tsx'
import { Field, namedOptions } from '../ui/field.tsx'
import { Repetition } from './event.ts'
import styles from './event-form.module.css'
import { formatRecurrence, listRecurrences } from './series.ts'

type Props = FormState & { day: Day; isRepeated: boolean }

export function RepetitionFields({ day, isRepeated, ...state }: Props) {
  const { values, errors } = state
  const box = useRef<HTMLDivElement>(null)
  const { data: preview, load } = useFetcher<string>()
  const loadPreview = () => {
    const form = box.current?.closest('form')
    const typed = form ? [...new FormData(form)] : []
    const query = typed.filter(([name]) => name in Repetition.shape).map(([name, value]) => [name, String(value)])
    if (query.some(([name, value]) => name === 'recurrence' && value))
      load(`/calendar/occurrences?${new URLSearchParams(query)}`)
  }
  useEffect(loadPreview, [isRepeated])
  return (
    <div ref={box} className={styles.repetition} onChange={loadPreview}>
      <Field label="くり返し" errors={errors?.recurrence}>
        {(wiring) => (
          <select {...wiring} name="recurrence" defaultValue={values.recurrence}>
            <option value="">くり返さない</option>
            {namedOptions(listRecurrences(day).map((each) => [each, formatRecurrence(each, day)]))}
          </select>
        )}
      </Field>
      <fieldset role="none" disabled={!isRepeated} className={styles.optional}>
        <div className={styles.pair}>
          <InputField label="最後の日" type="date" name="until" {...state} />
          <InputField label="または回数" type="number" name="times" {...state} />
        </div>
        {Object.entries(skipLabels).map(([name, label]) => (
          <label key={name} className={styles.mark}>
            <input type="checkbox" name={name} value="yes" defaultChecked={values[name] === 'yes'} />
            {label}
          </label>
        ))}
        <p>除いた日は、回数に数えません。</p>
        <p aria-live="polite" className={styles.preview}>
          {preview}
        </p>
      </fieldset>
    </div>
  )
}

const skipLabels = { skipsClosedDays: '定休日・休業の日を除く', skipsHolidays: '祝日を除く' }

/** The choice between one occurrence and all later ones of a series. */
export function ScopeField({ value }: { value?: string | undefined }) {
  return (
    <Field label="変更する範囲" hint="「この回だけ」で変更した回は、あとで「この回以降すべて」を選んでも変わりません。">
      {(wiring) => (
        <select {...wiring} name="scope" defaultValue={value}>
          <option value="one">この回だけ</option>
          <option value="later">この回以降すべて</option>
        </select>
      )}
    </Field>
  )
}
