import { type ReactNode, type ToggleEvent, useId, useState } from 'react'
import { type DayOfWeek, noSlots, type Schedule } from './business-day.ts'
import { copyFields } from './copy-hours.ts'
import { closedDaysFirstIn, groupNumbers, groupsOf, hoursPrefix, placeField } from './groups.ts'
import { HoursFields, ONE_SLOT } from './hours-fields.tsx'
import { daysFromMonday, extraDays } from './week.ts'
import styles from './week-groups.module.css'

type Props = {
  schedule: Schedule | null
  /** Submitted values, named as in `groupFields`. */
  values?: Record<string, string> | undefined
  errors?: Record<string, string[]> | undefined
}

/** Number of empty groups that the form offers. */
const SPARE = 2

/** Fields of a week as groups of days with the same hours; `parseWeekOfGroups` parses them. */
export function WeekGroups({ schedule, values: sent, errors = {} }: Props) {
  // In state, so that a later save or response does not change the groups and values of the form.
  const [{ groups, places, values }] = useState(() => ({ ...groupsOf(schedule), values: sent ?? {} }))
  const placeOf = (name: DayOfWeek) => values[placeField(name)] ?? places[name]
  const used = new Set(daysFromMonday.map(placeOf))
  const shown = groupNumbers.filter((number) => used.has(number) || Number(number) <= groups.length + SPARE)
  const last = shown.at(-1)
  const group = (number: string) => {
    const prefix = hoursPrefix(number)
    const legend = number === '1' ? '営業時間' : `営業時間 ${number}`
    const slots = groups[Number(number) - 1] ?? groups[0] ?? noSlots
    return (
      <Group legend={legend} note="この時間に営業する日" place={number} days={daysFromMonday} placeOf={placeOf}>
        <HoursFields prefix={prefix} of={legend} slots={slots} values={values} errors={errors} />
      </Group>
    )
  }
  const unplaced = daysFromMonday.flatMap((name) => errors[placeField(name)] ?? [])
  return (
    <div className={styles.groups}>
      {groupNumbers.slice(0, Number(last)).map((number) =>
        Number(number) <= groups.length ? (
          <div key={number}>{group(number)}</div>
        ) : (
          <Another
            key={number}
            prefix={hoursPrefix(number)}
            begun={used.has(number)}
            wrong={Object.keys(errors).some((name) => name.startsWith(hoursPrefix(number)))}
          >
            {group(number)}
          </Another>
        ),
      )}
      <Group legend="定休日" note="お休みする日" place="closed" days={daysFromMonday} placeOf={placeOf} />
      <Group
        legend="その曜日のとおり"
        note="祝日と祝前日を、ふだんの曜日と同じにする"
        place="usual"
        days={extraDays}
        placeOf={placeOf}
      />
      <ClosedDaysFirst schedule={schedule} values={sent} />
      {unplaced.length > 0 && <p className={styles.error}>{unplaced.join(' ')}</p>}
      <p className={styles.hint}>{`日を押すと、その時間に移ります。${ONE_SLOT}`}</p>
    </div>
  )
}

export function ClosedDaysFirst({ schedule, values }: Pick<Props, 'schedule' | 'values'>) {
  // In state, so that a later save by somebody else does not change the choice.
  const [isChosen] = useState(values ? closedDaysFirstIn(values, null) : schedule?.closedDaysFirst)
  return (
    <label className={styles.first}>
      <input type="checkbox" name="closedDaysFirst" value="yes" defaultChecked={isChosen} />
      <span>
        定休日を優先する
        <small>祝日や祝前日が定休日にあたるときは、お休みにします</small>
      </span>
    </label>
  )
}

type AnotherProps = { prefix: string; begun: boolean; wrong: boolean; children: ReactNode }

/** An empty group. Opening the group copies the current hours of the first group. */
function Another({ prefix, begun, wrong, children }: AnotherProps) {
  const [isOpen, setOpen] = useState(begun)
  const begin = ({ currentTarget: details }: ToggleEvent<HTMLDetailsElement>) => {
    setOpen(details.open)
    const form = details.closest('form')
    if (form && details.open && !details.querySelector('input:checked')) copyFields(form, hoursPrefix('1'), prefix)
  }
  return (
    <details className={styles.another} open={isOpen || wrong} onToggle={begin}>
      <summary>ちがう時間の日を足す</summary>
      {children}
    </details>
  )
}

type GroupProps = {
  legend: string
  note: string
  place: string
  days: readonly DayOfWeek[]
  placeOf: (name: DayOfWeek) => string
  children?: ReactNode
}

function Group({ legend, note, place, days, placeOf, children }: GroupProps) {
  const id = useId()
  return (
    <fieldset className={styles.group} data-place={place} aria-describedby={id}>
      <legend data-mincho>{legend}</legend>
      <p className={styles.note} id={id}>
        {note}
      </p>
      <div className={styles.days}>
        {days.map((name) => (
          <label key={name} className={styles.day}>
            <input
              type="radio"
              name={placeField(name)}
              value={place}
              defaultChecked={placeOf(name) === place}
              aria-label={name}
            />
            <span>{name.replace('曜日', '')}</span>
          </label>
        ))}
      </div>
      {children}
    </fieldset>
  )
}
