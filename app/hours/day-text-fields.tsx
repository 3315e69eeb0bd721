import { useId } from 'react'
import { Field } from '../ui/field.tsx'
import type { DayTexts } from './business-day.ts'
import { CAUSE, MAX_CAUSE, MAX_NOTE, NOTE } from './day-texts.ts'

type Props = { words: DayTexts; errors?: Record<string, string[]> | undefined }

export function DayTextFields({ words, errors = {} }: Props) {
  const causes = useId()
  return (
    <>
      <Field label={CAUSE} hint={`「貸切」「法事のため」など、${MAX_CAUSE}文字まで`} errors={errors.cause}>
        {(wiring) => <input {...wiring} name="cause" defaultValue={words.cause} list={causes} autoComplete="off" />}
      </Field>
      <datalist id={causes}>
        {['貸切', '法事のため', '体調不良のため', '設備点検のため', '仕入れのため', '研修のため'].map((cause) => (
          <option key={cause} value={cause} />
        ))}
      </datalist>
      <Field label={NOTE} hint={`「20:00からは貸切です。」など、${MAX_NOTE}文字まで`} errors={errors.note}>
        {(wiring) => <input {...wiring} name="note" defaultValue={words.note} autoComplete="off" />}
      </Field>
    </>
  )
}
