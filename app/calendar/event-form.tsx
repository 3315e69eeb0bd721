import { useEffect, useRef, useState } from 'react'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import styles from './event-form.module.css'
import { nextDayNote, type ShownEvent } from './event-words.ts'

type Values = Record<string, string>
type Props = {
  values: Values
  errors: Record<string, string[]> | undefined
  sendsMail: boolean
  hasCircle: boolean
}

export function eventValues(event: ShownEvent | null): Values {
  return {
    title: event?.title ?? '',
    content: event?.content ?? '',
    startTime: event?.startTime ?? '',
    endTime: event?.endTime ?? '',
    overnight: (event && nextDayNote(event)?.times) ?? '',
    attendance: event?.attendance ? 'yes' : '',
    capacity: String(event?.capacity ?? ''),
    deadline: event?.deadline ?? '',
  }
}

export function EventFields({ values, errors, sendsMail, hasCircle }: Props) {
  const { times, night } = useNight(values, errors)
  return (
    <>
      <Field label="タイトル" required errors={errors?.title}>
        {(wiring) => (
          <input
            {...wiring}
            name="title"
            className={styles.title}
            maxLength={maxCodeUnits(100)}
            placeholder="5〜7文字（カレンダーに表示されます）"
            defaultValue={values.title}
            autoComplete="off"
          />
        )}
      </Field>
      <Field label="内容" errors={errors?.content}>
        {(wiring) => (
          <textarea {...wiring} name="content" rows={3} maxLength={maxCodeUnits(5000)} defaultValue={values.content} />
        )}
      </Field>
      <div ref={times} className={styles.pair}>
        <Field label="開始（任意）" errors={errors?.startTime}>
          {(wiring) => <input {...wiring} type="time" name="startTime" defaultValue={values.startTime} />}
        </Field>
        <Field label="終了（任意）" errors={errors?.endTime}>
          {(wiring) => <input {...wiring} type="time" name="endTime" defaultValue={values.endTime} />}
        </Field>
      </div>
      {night && (
        <label key={night.times} className={styles.mark}>
          <input
            type="checkbox"
            name="overnight"
            value={night.times}
            defaultChecked={values.overnight === night.times}
          />
          {`${night.end}に終わる（${night.long}）`}
        </label>
      )}
      {hasCircle && <Attendance values={values} errors={errors} sendsMail={sendsMail} />}
    </>
  )
}

/** Returns the overnight times of the values that the server has rejected, or of the initial values. */
function useNight(values: Values, errors: Props['errors']) {
  const times = useRef<HTMLDivElement>(null)
  const [rejected, setRejected] = useState(values)
  useEffect(() => {
    const form = times.current?.closest('form')
    if (!form) return
    if (errors) setRejected(Object.fromEntries(new FormData(form)) as Values)
    const onReset = () => setRejected(values)
    form.addEventListener('reset', onReset)
    return () => form.removeEventListener('reset', onReset)
  }, [errors])
  return { times, night: nextDayNote(rejected) }
}

function Attendance({ values, errors, sendsMail }: Omit<Props, 'hasCircle'>) {
  return (
    <div className={styles.attendance}>
      <label className={styles.mark}>
        <input type="checkbox" name="attendance" value="yes" defaultChecked={values.attendance === 'yes'} />
        メンバーの出欠をとる
      </label>
      <div className={styles.pair}>
        <Field label="定員（任意）" errors={errors?.capacity}>
          {(wiring) => (
            <input {...wiring} name="capacity" type="number" min={1} max={999} defaultValue={values.capacity} />
          )}
        </Field>
        <Field label="締切の日（任意）" errors={errors?.deadline}>
          {(wiring) => <input {...wiring} type="date" name="deadline" defaultValue={values.deadline} />}
        </Field>
        <p>
          {sendsMail
            ? '予定の変更や中止は、5分後に、回答した方へメールでお知らせします。締切の2日前には、まだの方にお声がけします。'
            : 'このサイトではメールをお送りできません。予定の変更や中止は、回答した方へ直接お知らせください。'}
        </p>
      </div>
    </div>
  )
}
