import { type FormEvent, type MouseEvent, useId, useState } from 'react'
import { useRouteLoaderData } from 'react-router'
import type { PublicSettings } from '../settings/site.ts'
import { optionsOf } from '../ui/field.tsx'
import { type Slots, slotsOverlap, spanOf } from './business-day.ts'
import { setSelectValue } from './copy-hours.ts'
import { type HourFields, hourFields, hourFieldsOf, parseSlots } from './hour-fields.ts'
import styles from './hours-fields.module.css'

type Props = {
  /** Prefix of each field name, for example `日曜日.`. */
  prefix?: string
  /** Name of the day for screen readers. */
  of?: string
  slots: Slots
  /** Submitted values, which the fields show instead of the slots. */
  values?: Record<string, string> | undefined
  errors?: Record<string, string[]> | undefined
}

/** Selects for the two slots of a day: hours, and minutes in steps of five. 00:00 to 00:00 means no slot. */
export function HoursFields({ prefix = '', of = '', slots, values = {}, errors = {} }: Props) {
  const id = useId()
  const { site } = (useRouteLoaderData('root') ?? {}) as { site?: PublicSettings }
  const stored = hourFieldsOf(slots)
  const timeOf = (name: keyof HourFields) => values[prefix + name] ?? stored[name]
  const [chosen, setChosen] = useState(() => parseSlots(timeOf))
  const updateChosen = ({ currentTarget }: FormEvent<HTMLDivElement>) => {
    const selects = new Map([...currentTarget.querySelectorAll('select')].map(({ name, value }) => [name, value]))
    setChosen(parseSlots((name) => selects.get(prefix + name) ?? '00'))
  }
  const clearSecondSlot = ({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>) => {
    if (!form) return
    for (const name of hourFields.filter((each) => each.includes('time2_'))) setSelectValue(form, prefix + name, '00')
    // The pressed button is no longer on the page, so the focus moves to the first select.
    form.querySelector<HTMLElement>(`[name="${prefix}starttime2_hour"]`)?.focus()
  }
  return (
    <div className={styles.hours} onChange={updateChosen}>
      {([1, 2] as const).map((number) => {
        const ownerLabel = number === 1 ? site?.firstSlot : site?.secondSlot
        const name = ownerLabel ? `第${number}部（${ownerLabel}）` : `第${number}部`
        const slotErrors = errors[`${prefix}endtime${number}_hour`] ?? errors[`${prefix}starttime${number}_hour`]
        const renderSelects = (edge: 'start' | 'end', edgeLabel: string) =>
          (['hour', 'minute'] as const).map((part) => {
            const field: keyof HourFields = `${edge}time${number}_${part}`
            return (
              <select
                key={part}
                name={prefix + field}
                defaultValue={timeOf(field)}
                aria-label={`${of} ${name} ${edgeLabel}の${part === 'hour' ? '時' : '分'}`.trim()}
                aria-invalid={slotErrors || errors[prefix + field] ? true : undefined}
                aria-describedby={slotErrors ? `${id}-${number}` : undefined}
              >
                {optionsOf(listChoices(part, timeOf(field)))}
              </select>
            )
          })
        const [startHour, startMinute] = renderSelects('start', '開始')
        const [endHour, endMinute] = renderSelects('end', '終了')
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
            {number === 2 && spanOf(chosen[1] ?? null) && (
              <button
                type="button"
                className={styles.small}
                onClick={clearSecondSlot}
                aria-label={`${of} ${name}なし`.trim()}
              >
                第2部なし
              </button>
            )}
            {slotErrors && (
              <span className={styles.error} id={`${id}-${number}`}>
                {slotErrors.join(' ')}
              </span>
            )}
          </div>
        )
      })}
      <span aria-live="polite">
        {slotsOverlap(chosen) && (
          <span className={styles.warning}>第1部と第2部が重なっています。連続した時間として表示します。</span>
        )}
      </span>
    </div>
  )
}

export const ONE_SLOT = '時間帯が一つだけのときは、第2部の開始と終了を00:00のままにします。'

// A stored minute between the five-minute steps must remain an option.
function listChoices(part: 'hour' | 'minute', chosen: string) {
  const all = part === 'hour' ? twoDigits(24, 1) : twoDigits(12, 5)
  return all.includes(chosen) ? all : [...all, chosen].sort()
}

function twoDigits(count: number, step: number) {
  return Array.from({ length: count }, (_, index) => String(index * step).padStart(2, '0'))
}
