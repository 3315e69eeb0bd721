import { useState } from 'react'
import { Link } from 'react-router'
import { DaySelects } from '../dates/day-selects.tsx'
import { holidayName } from '../dates/holiday.ts'
import { addDays, type Day, formatDay, formatDayWithYear, formatFullDay } from '../dates/month.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { SAVE_FAILED } from '../forms/save-result.ts'
import { type Saving, useSave } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import { Field, namedOptions, optionsOf } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import {
  formatLabel,
  formatSpans,
  isClosure,
  type Schedule,
  spansOf,
  specialReasons,
  weekdays,
} from './business-day.ts'
import type { ListedSpecialDay } from './business-days.server.ts'
import styles from './business-days-page.module.css'
import type { HoursResult } from './business-days-result.ts'
import { ConfirmHours, ConfirmStep, UnsavedHours } from './confirm-hours.tsx'
import { DayTextFields } from './day-text-fields.tsx'
import { HoursFields } from './hours-fields.tsx'
import { recurrences } from './recurrence.ts'
import { usualSlots } from './week.ts'

type FormProps = {
  /** The day that the editor changes, or the default day of a new special day. */
  day: Day
  schedule: Schedule | null
  /** Null for a new special day. */
  special: ListedSpecialDay | null
  mayEdit: boolean
}

export function SpecialDaysForm({ day, schedule, special: loadedSpecial, mayEdit }: FormProps) {
  const save = useSave<HoursResult>({ intents: ['special', 'remove'], failure: SAVE_FAILED })
  const { answer, errors = {} } = save
  // The state that the editor has seen. If the stored state differs, replacing it needs a confirmation.
  const [special] = useState(loadedSpecial)
  // The form shows the usual times of the chosen day until the editor chooses other times.
  const [usualDay, setUsualDay] = useState(day)
  const [hasChosen, setHasChosen] = useState(false)
  const stored =
    special?.slots && !(isClosure(special.reason) && spansOf(special.slots).length === 0) ? special.slots : null
  const values = answer?.values ?? { reason: specialReasons[0], ...special }
  const [reason, setReason] = useState(values.reason ?? '')
  const reasons = new Set([...specialReasons, ...(special ? [special.reason] : [])])
  return (
    <SaveForm save={save} className={styles.special}>
      <UnsavedHours save={save} />
      {special && !special.slots && (
        <Notice kind="trouble">
          {`読めないデータが1件あります（${formatDay(day)}）。元のデータは、保存するまでそのまま残ります。`}
        </Notice>
      )}
      <fieldset role="none" disabled={!mayEdit} className={styles.fields}>
        {special ? (
          <>
            <h3>{`${formatDayWithYear(day)}の特別営業日`}</h3>
            <input type="hidden" name="first" value={day} />
            {special.slots && <input type="hidden" name="replacing" value={formatReplacing([special])} />}
          </>
        ) : (
          <NewDays day={day} save={save} onChoose={(chosen) => hasChosen || setUsualDay(chosen)} />
        )}
        <Field label="理由" errors={errors.reason}>
          {(wiring) => (
            <select
              {...wiring}
              name="reason"
              defaultValue={values.reason}
              onChange={(event) => setReason(event.target.value)}
            >
              {optionsOf([...reasons])}
            </select>
          )}
        </Field>
        <div hidden={isClosure(reason)} onChange={() => setHasChosen(true)}>
          <HoursFields
            key={usualDay}
            slots={stored ?? usualSlots(usualDay, schedule, holidayName)}
            values={answer?.values}
            errors={errors}
          />
          <p className={styles.hint}>00:00〜00:00は「時間なし」です。</p>
        </div>
        <DayTextFields words={values} errors={errors} />
        <SpecialDayActions save={save} special={special} />
      </fieldset>
      <Outcome save={save} />
    </SaveForm>
  )
}

type NewProps = { day: Day; save: Saving<HoursResult>; onChoose: (day: Day) => void }

function NewDays({ day, save: { answer, errors = {} }, onChoose }: NewProps) {
  const { values = {} }: HoursResult = answer ?? {}
  return (
    <>
      <DayField name="first" label="日付" day={day} values={values} errors={errors.first} onChoose={onChoose} />
      <div className={styles.bulk}>
        <label className={styles.check}>
          <input type="checkbox" name="bulk" value="yes" defaultChecked={values.bulk === 'yes'} />
          期間や繰り返しで、まとめて設定する
        </label>
        <div>
          <DayField name="last" label="終了日" day={addDays(day, 1)} values={values} errors={errors.last} />
          <div className={styles.pair}>
            <Field label="繰り返し" errors={errors.rhythm}>
              {(wiring) => (
                <select {...wiring} name="rhythm" defaultValue={values.rhythm ?? '毎日'}>
                  {optionsOf(recurrences)}
                </select>
              )}
            </Field>
            <Field label="曜日（毎日のときは不要）" errors={errors.weekday}>
              {(wiring) => (
                <select {...wiring} name="weekday" defaultValue={values.weekday ?? '0'}>
                  {namedOptions(weekdays.map((weekday, index) => [`${index}`, weekday]))}
                </select>
              )}
            </Field>
          </div>
        </div>
      </div>
    </>
  )
}

type DayProps = {
  name: 'first' | 'last'
  label: string
  day: Day
  values: Record<string, string>
  errors: string[] | undefined
  onChoose?: (day: Day) => void
}

function DayField({ name, label, day, values, errors, onChoose }: DayProps) {
  const stored = day.split('-')
  const chosen = ['Year', 'Month', 'Day'].map((part, index) => values[`${name}${part}`] ?? stored[index])
  return (
    <fieldset className={styles.day}>
      <legend>{label}</legend>
      <DaySelects
        name={name}
        of={label}
        day={chosen.join('-')}
        years={[2025, 2100]}
        className={styles.part}
        wiring={errors && { 'aria-invalid': true, 'aria-describedby': `${name}-error` }}
        onChoose={onChoose}
      />
      {errors && (
        <p className={styles.error} id={`${name}-error`}>
          {errors.join(' ')}
        </p>
      )}
    </fieldset>
  )
}

type ActionsProps = { save: Saving<HoursResult>; special: ListedSpecialDay | null }

function SpecialDayActions({ save, special }: ActionsProps) {
  const { answer, busy } = save
  const step = { back: '/bussinessdays?table=special', intent: 'special', save }
  if (answer?.lacksHours || answer?.sure) return <ConfirmHours {...step} label="このまま保存する" />
  if (answer?.existing && answer.intent === 'remove')
    return (
      <ConfirmStep
        {...step}
        intent="remove"
        buttons={answer.existing.map(({ version }) => ({
          name: 'version',
          value: `${version}`,
          label: '通常の営業に戻す',
        }))}
      >
        <p>ほかの方が先に変更しました。現在の設定は次のとおりです。通常の営業に戻しますか？</p>
        <ExistingDays days={answer.existing} />
      </ConfirmStep>
    )
  if (answer?.existing)
    return (
      <ConfirmStep
        {...step}
        buttons={[{ name: 'replacing', value: formatReplacing(answer.existing), label: '置き換えて保存する' }]}
      >
        <p>{`すでに設定のある日が${answer.existing.length}日あります。この内容で置き換えますか？`}</p>
        <ExistingDays days={answer.existing} />
        <input type="hidden" name="sure" value="yes" />
      </ConfirmStep>
    )
  return (
    <div className={styles.actions}>
      <SubmitButton name="intent" value="special" busy={busy}>
        {special ? '編集する' : 'スケジュールを登録する'}
      </SubmitButton>
      {special && (
        <>
          <input type="hidden" name="version" value={special.version} />
          <Button type="submit" name="intent" value="remove" aria-disabled={busy}>
            この日を通常の営業に戻す
          </Button>
        </>
      )}
    </div>
  )
}

function ExistingDays({ days }: { days: ListedSpecialDay[] }) {
  return (
    <ul className={styles.existing}>
      {days.map((each) => (
        <li key={each.day}>{formatSpecialDay(each)}</li>
      ))}
    </ul>
  )
}

function formatReplacing(existing: ListedSpecialDay[]) {
  return existing.map(({ day, version }) => `${day}:${version}`).join(',')
}

function formatSpecialDay({ day, reason, cause, slots }: ListedSpecialDay) {
  const label = formatLabel({ label: reason, cause })
  const texts = slots ? [label, !isClosure(reason) && formatSpans(spansOf(slots))] : ['読めないデータ']
  return `${formatFullDay(day)} ${texts.filter(Boolean).join(' ')}`
}

export function SpecialDaysTable({ specialDays, mayEdit }: { specialDays: ListedSpecialDay[]; mayEdit: boolean }) {
  if (specialDays.length === 0) return <p>これからの特別営業日は、まだありません。</p>
  return (
    <table className={styles.list}>
      <caption className="visually-hidden">これからの特別営業日</caption>
      <thead>
        <tr>
          <th scope="col">日付</th>
          <th scope="col">理由</th>
          <th scope="col">時間</th>
          {mayEdit && <th scope="col">操作</th>}
        </tr>
      </thead>
      <tbody>
        {specialDays.map(({ day, reason, cause, note, slots }) => (
          <tr key={day}>
            <th scope="row">{formatFullDay(day)}</th>
            <td>
              <span>{slots ? formatLabel({ label: reason, cause }) : '読めないデータ'}</span>
              {note && <small className={styles.note}>{note}</small>}
            </td>
            <td>{slots && !isClosure(reason) ? formatSpans(spansOf(slots)) || '時間なし' : '―'}</td>
            {mayEdit && (
              <td>
                <Link to={`/bussinessdays?table=special&day=${day}`} aria-label={`${formatDay(day)}を編集する`}>
                  編集
                </Link>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
