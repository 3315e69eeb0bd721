import { useState } from 'react'
import { type Day, daysInMonth } from '../days/month.ts'
import styles from './content-form.module.css'
import { firstYear, lastYear } from './content-item.ts'

type Props = {
  /** Before the part in the names: eventDay → eventDayYear. */
  name: string
  /** YYYY-MM-DD, or what was chosen of it. */
  day: string
  errors: string[] | undefined
  /** The years about this day are at hand. */
  near: Day | undefined
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
const unpadded = (text = '') => text.replace(/^0+(?=\d)/, '')

const optionsOf = (values: string[]) => values.map((value) => <option key={value}>{value}</option>)

/** A date that may be left out: the days follow the month, and the chosen one keeps within it. */
export function DaySelects({ name, day, errors, near }: Props) {
  const [stored] = useState(() => day.split('-').map(unpadded))
  const [year = '', setYear] = useState(stored[0])
  const [month = '', setMonth] = useState(stored[1])
  const [date = '', setDate] = useState(stored[2])
  // The server and a page without scripts offer every day; which of them there are is known once a month is chosen here.
  const last = year && month ? daysInMonth(Number(year), Number(month)) : 31
  const chosen = Number(date) > last ? String(last) : date
  const years = numbers(firstYear, lastYear)
  const part = (which: string, unit: string, value: string, options: string[], set: (value: string) => void) => (
    <label className={styles.part}>
      <select
        name={`${name}${which}`}
        value={value}
        aria-invalid={errors ? true : undefined}
        onChange={(event) => set(event.target.value)}
      >
        <option value="">{which === 'Year' ? '日付なし' : '―'}</option>
        {which === 'Year' && near && (
          <optgroup label="近い年">
            {optionsOf(numbers(Number(near.slice(0, 4)) - 1, Number(near.slice(0, 4)) + 1))}
          </optgroup>
        )}
        {which === 'Year' ? <optgroup label="すべての年">{optionsOf(options)}</optgroup> : optionsOf(options)}
      </select>
      {unit}
    </label>
  )
  return (
    <fieldset className={styles.group}>
      <legend>日付（なくても可）</legend>
      <div className={styles.parts}>
        {part('Year', '年', year, years.includes(year) || !year ? years : [year, ...years], (next) => {
          setYear(next)
          if (next) return
          setMonth('')
          setDate('')
        })}
        {part('Month', '月', month, numbers(1, 12), (next) => {
          setMonth(next)
          setDate(chosen)
        })}
        {part('Day', '日', chosen, numbers(1, last), setDate)}
      </div>
      {errors && <p className={styles.error}>{errors.join(' ')}</p>}
    </fieldset>
  )
}
