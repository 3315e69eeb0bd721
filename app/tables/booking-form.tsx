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
import { formatTimeOfDay } from './booking-words.tsx'
import styles from './bookings.module.css'

const LARGEST_BUTTON = 8
const parties = Array.from({ length: LARGEST_BUTTON }, (_, index) => String(index + 1))

/** Form of the staff for a new booking on `day`, or for `booking`. People and times are buttons. */
export function BookingForm({ day, times, booking }: { day: Day; times: string[]; booking?: Booking }) {
  const check = checkFields(StaffBooking)
  const save = useSave({ intents: [`enter ${booking?.id ?? ''}`.trim()], check, resets: !booking })
  const { errors } = save
  const time = booking ? timeOfBooking(booking).time : (times[0] ?? '')
  const party = String(booking?.party ?? 2)
  const isLarge = !parties.includes(party)
  return (
    <SaveForm save={save} className={styles.form} {...(!booking && { once: '' })}>
      <input type="hidden" name="intent" value="enter" />
      {booking ? (
        <>
          <input type="hidden" name="booking" value={booking.id} />
          <input type="hidden" name="version" value={booking.version} />
          <Field label="日" required errors={errors?.day}>
            {(wiring) => <input {...wiring} type="date" name="day" defaultValue={timeOfBooking(booking).day} />}
          </Field>
        </>
      ) : (
        <input type="hidden" name="day" value={day} />
      )}
      <Chips name="party" legend="人数" chosen={isLarge ? '' : party} values={parties} format={(each) => `${each}名`} />
      <Field label={`${LARGEST_BUTTON + 1}名以上のとき`} errors={errors?.party}>
        {(wiring) => (
          <input
            {...wiring}
            type="number"
            name="party"
            min={1}
            max={MAX_PARTY}
            inputMode="numeric"
            defaultValue={isLarge ? party : ''}
          />
        )}
      </Field>
      <Chips
        name="time"
        legend="時刻"
        chosen={time}
        values={[...new Set([...times, time])].sort()}
        format={formatTimeOfDay}
      />
      {errors?.time && <p className={styles.warning}>{errors.time}</p>}
      <Field label="お名前" required errors={errors?.name}>
        {(wiring) => (
          <input
            {...wiring}
            name="name"
            maxLength={maxCodeUnits(MAX_NAME)}
            autoComplete="off"
            defaultValue={booking?.name}
          />
        )}
      </Field>
      <Field label="電話番号" errors={errors?.telephone}>
        {(wiring) => (
          <input
            {...wiring}
            type="tel"
            name="telephone"
            maxLength={maxCodeUnits(MAX_TELEPHONE)}
            autoComplete="off"
            defaultValue={booking?.telephone}
          />
        )}
      </Field>
      <Field label="ご要望" errors={errors?.wish}>
        {(wiring) => (
          <textarea
            {...wiring}
            name="wish"
            rows={2}
            maxLength={maxCodeUnits(MAX_WISH)}
            autoComplete="off"
            defaultValue={booking?.wish}
          />
        )}
      </Field>
      <SubmitButton busy={save.busy}>
        {!booking || booking.state === 'accepted' ? '保存する' : 'この内容で確定する'}
      </SubmitButton>
      <Outcome save={save} />
    </SaveForm>
  )
}

type ChipsProps = {
  name: string
  legend: string
  chosen: string
  values: string[]
  format: (value: string) => string
}

function Chips({ name, legend, chosen, values, format }: ChipsProps) {
  return (
    <fieldset className={styles.chips}>
      <legend>{legend}</legend>
      <div>
        {values.map((value) => (
          <label key={value}>
            <input type="radio" name={name} value={value} defaultChecked={value === chosen} />
            {format(value)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
