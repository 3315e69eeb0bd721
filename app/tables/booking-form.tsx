import { type FormEvent, useState } from 'react'
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
import { InputField } from '../forms/input-field.tsx'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './bookings.module.css'
import { formatTableTime } from './table-words.ts'

const parties = Array.from({ length: 8 }, (_, index) => String(index + 1))

/** Result of the form. After a conflict, `newer` is the stored version, which `trouble` describes. */
export type BookingResult = SaveResult & { newer?: number }

/** Form of the staff for a new booking on `day`, or for `booking`. People and times are buttons. */
export function BookingForm({ day, times, booking }: { day: Day; times: string[]; booking?: Booking }) {
  const id = booking?.id ?? ''
  const save = useSave<BookingResult>({
    intents: [`enter ${id}`.trim()],
    check: checkFields(StaffBooking),
    resets: !booking,
  })
  const { errors, answer } = save
  // The version that the editor has seen: of the initial values, or of the stored booking after a conflict.
  const [version, setVersion] = useState(booking?.version ?? 0)
  if (answer?.newer && answer.newer > version) setVersion(answer.newer)
  // The chosen buttons would otherwise disappear when another editor changes the booking.
  const [initial] = useState(booking)
  const time = initial ? timeOfBooking(initial).time : (times[0] ?? '')
  const party = String(initial?.party ?? 2)
  const values = { day, name: booking?.name ?? '', telephone: booking?.telephone ?? '' }
  const state = { values, errors, autoComplete: 'off' }
  return (
    <>
      <SaveForm
        save={save}
        className={styles.form}
        hiddenFields={{ intent: 'enter', booking: id, version }}
        {...(!booking && { once: '' })}
      >
        <Choices
          {...{ name: 'party', legend: '人数', chosen: party, values: [...new Set([...parties, party])] }}
          format={(each) => `${each}名`}
          onChoose={clearLargeParty}
        />
        <InputField
          label="9名以上のとき"
          type="number"
          name="party"
          min={1}
          max={MAX_PARTY}
          inputMode="numeric"
          {...state}
        />
        <Choices
          {...{ name: 'time', legend: '時刻', chosen: time, values: [...new Set([...times, time])].sort() }}
          format={formatTableTime}
        />
        {errors?.time && <p className={styles.warning}>{errors.time}</p>}
        <InputField label="お名前" name="name" required maxLength={maxCodeUnits(MAX_NAME)} {...state} />
        <InputField label="電話番号" type="tel" name="telephone" maxLength={maxCodeUnits(MAX_TELEPHONE)} {...state} />
        <Field label="ご要望" errors={errors?.wish}>
          {(wiring) => (
            <textarea {...wiring} name="wish" maxLength={maxCodeUnits(MAX_WISH)} defaultValue={booking?.wish} />
          )}
        </Field>
        <InputField label="日" type="date" name="day" required {...state} />
        <SubmitButton busy={save.busy}>
          {booking && booking.state !== 'accepted' ? 'この内容で確定する' : '保存する'}
        </SubmitButton>
      </SaveForm>
      <Outcome save={save} />
    </>
  )
}

// The server reads the number after the buttons, so a number that is left over would replace the chosen button.
function clearLargeParty({ currentTarget: { form } }: FormEvent<HTMLInputElement>) {
  const number = form?.querySelector<HTMLInputElement>('input[type=number]')
  if (number) number.value = ''
}

type ChoicesProps = {
  name: string
  legend: string
  chosen: string
  values: string[]
  format: (value: string) => string
  onChoose?: (event: FormEvent<HTMLInputElement>) => void
}

function Choices({ name, legend, chosen, values, format, onChoose }: ChoicesProps) {
  return (
    <fieldset className={styles.choices}>
      <legend>{legend}</legend>
      {values.map((value) => (
        <label key={value}>
          <input type="radio" name={name} value={value} defaultChecked={value === chosen} onInput={onChoose} />
          {format(value)}
        </label>
      ))}
    </fieldset>
  )
}
