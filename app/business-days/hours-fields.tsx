import { type FormEvent, useId, useState } from 'react'
import { optionsOf } from '../ui/field.tsx'
import { noHours, slotsOverlap } from './business-day.ts'
import styles from './hours-fields.module.css'
import type { Hours } from './schedule.ts'

type Name = keyof Hours
type Props = {
  /** Before each field's name: 日曜日. */
  prefix?: string
  /** Of which day, for those who hear the fields one by one. */
  of?: string
  values: Partial<Record<string, string>>
  errors?: Record<string, string[]> | undefined
}

const slots = [
  { number: 1, name: '第1部' },
  { number: 2, name: '第2部' },
] as const

/** The two slots of a day: hours 00 to 23, minutes by five; 00:00 to 00:00 is no slot. */
export function HoursFields({ prefix = '', of = '', values, errors = {} }: Props) {
  const id = useId()
  const timeOf = (name: Name) => values[prefix + name] ?? '00'
  const [overlap, setOverlap] = useState(() => overlaps(timeOf))
  const look = (event: FormEvent<HTMLDivElement>) => {
    const selects = event.currentTarget.querySelectorAll('select')
    const chosen = new Map([...selects].map(({ name, value }) => [name, value]))
    setOverlap(overlaps((name) => chosen.get(prefix + name) ?? '00'))
  }
  return (
    <div className={styles.hours} onChange={look}>
      {slots.map(({ number, name }) => {
        const said = errors[`${prefix}endtime${number}_hour`] ?? errors[`${prefix}starttime${number}_hour`]
        const time = (edge: 'start' | 'end', words: string) =>
          (['hour', 'minute'] as const).map((part) => {
            const field: Name = `${edge}time${number}_${part}`
            return (
              <select
                key={part}
                name={prefix + field}
                defaultValue={timeOf(field)}
                aria-label={`${of} ${name} ${words}の${part === 'hour' ? '時' : '分'}`.trim()}
                aria-invalid={said || errors[prefix + field] ? true : undefined}
                aria-describedby={said ? `${id}-${number}` : undefined}
              >
                {optionsOf(choices(part, timeOf(field)))}
              </select>
            )
          })
        const [startHour, startMinute] = time('start', '開始')
        const [endHour, endMinute] = time('end', '終了')
        return (
          <div key={number} className={styles.slot}>
            <span className={styles.name}>{name}</span>
            <span className={styles.time}>
              {startHour}:{startMinute}
            </span>
            <span>〜</span>
            <span className={styles.time}>
              {endHour}:{endMinute}
            </span>
            {said && (
              <span className={styles.error} id={`${id}-${number}`}>
                {said.join(' ')}
              </span>
            )}
          </div>
        )
      })}
      <span aria-live="polite">
        {overlap && <span className={styles.warning}>第1部と第2部が重なっています。続いた時間として表示します。</span>}
      </span>
    </div>
  )
}

function overlaps(timeOf: (name: Name) => string) {
  const names = Object.keys(noHours) as Name[]
  return slotsOverlap(Object.fromEntries(names.map((name) => [name, timeOf(name)])) as Hours)
}

// A stored minute off the five-minute step stays, and can be chosen.
function choices(part: 'hour' | 'minute', chosen: string) {
  const all = part === 'hour' ? twoDigits(24, 1) : twoDigits(12, 5)
  return all.includes(chosen) ? all : [...all, chosen].sort()
}

function twoDigits(count: number, step: number) {
  return Array.from({ length: count }, (_, index) => String(index * step).padStart(2, '0'))
}
