import { type ReactNode, useState } from 'react'
import { optionsOf } from '../ui/field.tsx'
import { type Day, daysInMonth } from './month.ts'

const units = { Year: '年', Month: '月', Day: '日' } as const
type Part = keyof typeof units

type Props = {
  name: string
  /** Prefix of the accessible names, if the visible label is not enough: 日付 results in 日付の年. */
  of?: string
  /** Initial day as YYYY-MM-DD; parts may be missing. */
  day: string
  years: readonly [number, number]
  optional?: { near: Day | undefined }
  className: string | undefined
  wiring?: { 'aria-invalid'?: true | undefined; 'aria-describedby'?: string | undefined }
  onChoose?: ((day: Day) => void) | undefined
}

export function DaySelects({ name, of, day, years, optional, className, wiring, onChoose }: Props) {
  const [parts, setParts] = useState(() => {
    const [Year = '', Month = '', Day = ''] = day.split('-').map((part) => part.replace(/^0+(?=\d)/, ''))
    return { Year, Month, Day }
  })
  const { Year, Month } = parts
  const choosePart = (part: Part, value: string) => {
    const chosen = part === 'Year' && !value ? { Year: '', Month: '', Day: '' } : { ...parts, [part]: value }
    setParts(chosen)
    onChoose?.([chosen.Year, padPart(chosen.Month), padPart(validDate(chosen))].join('-'))
  }
  const renderSelect = (part: Part, value: string, options: ReactNode) => (
    <label className={className}>
      <select
        name={`${name}${part}`}
        value={value}
        aria-label={of && `${of}の${units[part]}`}
        {...wiring}
        onChange={(event) => choosePart(part, event.target.value)}
      >
        {optional && <option value="">{part === 'Year' ? '日付なし' : '―'}</option>}
        {options}
      </select>
      {units[part]}
    </label>
  )
  const allYears = numberRange(...years)
  const offered = optionsOf(allYears.includes(Year) || !Year ? allYears : [Year, ...allYears])
  const nearYear = Number(optional?.near?.slice(0, 4))
  return (
    <>
      {renderSelect(
        'Year',
        Year,
        <>
          {nearYear > 0 && <optgroup label="近い年">{optionsOf(numberRange(nearYear - 1, nearYear + 1))}</optgroup>}
          {optional ? <optgroup label="すべての年">{offered}</optgroup> : offered}
        </>,
      )}
      {renderSelect('Month', Month, optionsOf(numberRange(1, 12)))}
      {renderSelect('Day', validDate(parts), optionsOf(numberRange(1, lastDate(parts))))}
    </>
  )
}

function lastDate({ Year, Month }: Record<Part, string>) {
  return Year && Month ? daysInMonth(Number(Year), Number(Month)) : 31
}

function validDate(parts: Record<Part, string>) {
  return Number(parts.Day) > lastDate(parts) ? String(lastDate(parts)) : parts.Day
}

const padPart = (part: string) => part.padStart(2, '0')

function numberRange(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
}
