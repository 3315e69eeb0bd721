import { type ReactNode, useState } from 'react'
import { optionsOf } from '../ui/field.tsx'
import { type Day, daysInMonth } from './month.ts'

const units = { Year: '年', Month: '月', Day: '日' } as const
type Part = keyof typeof units

type Props = {
  /** Before the part in the names: eventDay → eventDayYear. */
  name: string
  /** Before the part for those who hear it, where the label beside it is not enough: 日付 → 日付の年. */
  of?: string
  /** YYYY-MM-DD, or what was chosen of it. */
  day: string
  /** The first and the last that can be chosen. */
  years: readonly [number, number]
  /** Whether there may be no day at all; the years about one day are at hand then. */
  optional?: { near: Day | undefined }
  className: string | undefined
  wiring?: { 'aria-invalid'?: true | undefined; 'aria-describedby'?: string | undefined }
  onChoose?: ((day: Day) => void) | undefined
}

/** The three selects of a day: the days follow the month, and the chosen one keeps within it. */
export function DaySelects({ name, of, day, years, optional, className, wiring, onChoose }: Props) {
  const [parts, setParts] = useState(() => {
    const [Year = '', Month = '', Day = ''] = day.split('-').map((part) => part.replace(/^0+(?=\d)/, ''))
    return { Year, Month, Day }
  })
  const { Year, Month } = parts
  const choose = (part: Part, value: string) => {
    const chosen = part === 'Year' && !value ? { Year: '', Month: '', Day: '' } : { ...parts, [part]: value }
    setParts(chosen)
    onChoose?.([chosen.Year, padded(chosen.Month), padded(dateIn(chosen))].join('-'))
  }
  const select = (part: Part, value: string, options: ReactNode) => (
    <label className={className}>
      <select
        name={`${name}${part}`}
        value={value}
        aria-label={of && `${of}の${units[part]}`}
        {...wiring}
        onChange={(event) => choose(part, event.target.value)}
      >
        {optional && <option value="">{part === 'Year' ? '日付なし' : '―'}</option>}
        {options}
      </select>
      {units[part]}
    </label>
  )
  const all = numbers(...years)
  const offered = optionsOf(all.includes(Year) || !Year ? all : [Year, ...all])
  const near = Number(optional?.near?.slice(0, 4))
  return (
    <>
      {select(
        'Year',
        Year,
        <>
          {near > 0 && <optgroup label="近い年">{optionsOf(numbers(near - 1, near + 1))}</optgroup>}
          {optional ? <optgroup label="すべての年">{offered}</optgroup> : offered}
        </>,
      )}
      {select('Month', Month, optionsOf(numbers(1, 12)))}
      {select('Day', dateIn(parts), optionsOf(numbers(1, lastDate(parts))))}
    </>
  )
}

// The server and a page without scripts offer every day; which of them there are is known once a month is chosen here.
function lastDate({ Year, Month }: Record<Part, string>) {
  return Year && Month ? daysInMonth(Number(Year), Number(Month)) : 31
}

function dateIn(parts: Record<Part, string>) {
  return Number(parts.Day) > lastDate(parts) ? String(lastDate(parts)) : parts.Day
}

const padded = (part: string) => part.padStart(2, '0')

function numbers(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
}
