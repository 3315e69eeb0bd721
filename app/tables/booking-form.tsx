import { useState } from 'react'
import {
  type Booking,
  MAX_NAME,
  MAX_PARTY,
  MAX_TELEPHONE,
  MAX_WISH,
  StaffBooking,
  timeOfBooking,
} from '../bookings/booking.ts'
import type { Day } from '../dates/month.ts'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './bookings.module.css'
import { formatTableTime } from './table-words.ts'

const parties = Array.from({ length: 8 }, (_, index) => String(index + 1))
const textFields = [
  ['name', 'お名前', MAX_NAME],
  ['telephone', '電話番号', MAX_TELEPHONE],
  ['wish', 'ご要望', MAX_WISH],
] as const

/** Form of the staff for a new booking on `day`, or for `booking`. People and times are buttons. */
export function BookingForm({ day, times, booking }: { day: Day; times: string[]; booking?: Booking }) {
  const id = booking?.id ?? ''
  const save = useSave({ intents: [`enter ${id}`.trim()], check: checkFields(StaffBooking), resets: !booking })
  const { errors } = save
  // The version of the initial values. The editor has not seen later saves.
  const [version] = useState(booking?.version ?? 0)
  const time = booking ? timeOfBooking(booking).time : (times[0] ?? '')
  const party = String(booking?.party ?? 2)
  return (
    <>
      <SaveForm
        save={save}
        className={styles.form}
        hiddenFields={{ intent: 'enter', booking: id, version }}
        {...(!booking && { once: '' })}
      >
        <Choices name="party" legend="人数" chosen={party} values={parties} format={(each) => `${each}名`} />
        <Field label="9名以上のとき" errors={errors?.party}>
          {(wiring) => (
            <input
              {...wiring}
              {...{ type: 'number', name: 'party', min: 1, max: MAX_PARTY, inputMode: 'numeric' }}
              defaultValue={parties.includes(party) ? '' : party}
            />
          )}
        </Field>
        <Choices
          {...{ name: 'time', legend: '時刻', chosen: time, values: [...new Set([...times, time])].sort() }}
          format={formatTableTime}
        />
        {errors?.time && <p className={styles.warning}>{errors.time}</p>}
        {textFields.map(([name, label, max]) => (
          <Field key={name} label={label} required={name === 'name'} errors={errors?.[name]}>
            {(wiring) => {
              const Control = name === 'wish' ? 'textarea' : 'input'
              const control = { name, maxLength: maxCodeUnits(max), autoComplete: 'off', defaultValue: booking?.[name] }
              return <Control {...wiring} {...control} inputMode={name === 'telephone' ? 'tel' : undefined} />
            }}
          </Field>
        ))}
        <Field label="日" required errors={errors?.day}>
          {(wiring) => <input {...wiring} type="date" name="day" defaultValue={day} />}
        </Field>
        <SubmitButton busy={save.busy}>
          {booking && booking.state !== 'accepted' ? 'この内容で確定する' : '保存する'}
        </SubmitButton>
      </SaveForm>
      <Outcome save={save} />
    </>
  )
}

type ChoicesProps = {
  name: string
  legend: string
  chosen: string
  values: string[]
  format: (value: string) => string
}

function Choices({ name, legend, chosen, values, format }: ChoicesProps) {
  return (
    <fieldset className={styles.choices}>
      <legend>{legend}</legend>
      {values.map((value) => (
        <label key={value}>
          <input type="radio" name={name} value={value} defaultChecked={value === chosen} />
          {format(value)}
        </label>
      ))}
    </fieldset>
  )
}
