import { type FormEvent, type MouseEvent, useId, useState } from 'react'
import { useRouteLoaderData } from 'react-router'
import type { PublicFacts } from '../settings/site.ts'
import { optionsOf } from '../ui/field.tsx'
import { bothSlots, noHours, slotsOverlap } from './business-day.ts'
import { choose } from './copy-hours.ts'
import styles from './hours-fields.module.css'
import type { Hours } from './schedule.ts'

type Name = keyof Hours
type Props = {
  /** Prefix of each field name: `日曜日.` */
  prefix?: string
  /** Name of the day for screen readers. */
  of?: string
  values: Partial<Record<string, string>>
  errors?: Record<string, string[]> | undefined
}

/** Selects for the two slots of a day: hours 00 to 23, minutes by five; 00:00 to 00:00 means no slot. */
export function HoursFields({ prefix = '', of = '', values, errors = {} }: Props) {
  const id = useId()
  const slots = useSlots()
  const timeOf = (name: Name) => values[prefix + name] ?? '00'
  const [hours, setHours] = useState(() => hoursFrom(timeOf))
  const look = (event: FormEvent<HTMLDivElement>) => {
    const selects = event.currentTarget.querySelectorAll('select')
    const chosen = new Map([...selects].map(({ name, value }) => [name, value]))
    setHours(hoursFrom((name) => chosen.get(prefix + name) ?? '00'))
  }
  const withoutSecond = ({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>) => {
    if (!form) return
    for (const name of names.filter((each) => each.includes('time2_'))) choose(form, prefix + name, '00')
    // The pressed button has been removed, so the focus moves to the first select.
    form.querySelector<HTMLElement>(`[name="${prefix}starttime2_hour"]`)?.focus()
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
            {number === 2 && bothSlots(hours)[1] && (
              <button
                type="button"
                className={styles.small}
                onClick={withoutSecond}
                aria-label={`${of} ${name}なし`.trim()}
              >
                第2部なし
              </button>
            )}
            {said && (
              <span className={styles.error} id={`${id}-${number}`}>
                {said.join(' ')}
              </span>
            )}
          </div>
        )
      })}
      <span aria-live="polite">
        {slotsOverlap(hours) && (
          <span className={styles.warning}>第1部と第2部が重なっています。続いた時間として表示します。</span>
        )}
      </span>
    </div>
  )
}

export const ONE_SLOT = '時間帯が一つだけのときは、第2部の開始と終了を00:00のままにします。'

// Adds the owner's names: 第1部（朝の部）.
function useSlots() {
  const root = useRouteLoaderData('root') as { site: PublicFacts } | undefined
  const named = (number: 1 | 2, name: string | undefined) => ({
    number,
    name: name ? `第${number}部（${name}）` : `第${number}部`,
  })
  return [named(1, root?.site.firstSlot), named(2, root?.site.secondSlot)] as const
}

const names = Object.keys(noHours) as Name[]

function hoursFrom(timeOf: (name: Name) => string) {
  return Object.fromEntries(names.map((name) => [name, timeOf(name)])) as Hours
}

// A stored minute off the five-minute step remains an option.
function choices(part: 'hour' | 'minute', chosen: string) {
  const all = part === 'hour' ? twoDigits(24, 1) : twoDigits(12, 5)
  return all.includes(chosen) ? all : [...all, chosen].sort()
}

function twoDigits(count: number, step: number) {
  return Array.from({ length: count }, (_, index) => String(index * step).padStart(2, '0'))
}
