import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type DayOfWeek, noSlots, type Schedule } from './business-day.ts'
import { copyFields } from './copy-hours.ts'
import { groupNumbers, groupsOf, hoursPrefix, placeField, readClosedDaysFirst } from './groups.ts'
import { HoursFields, ONE_SLOT } from './hours-fields.tsx'
import { daysFromMonday, extraDays } from './week.ts'
import styles from './week-groups.module.css'

export type WeekFieldsProps = {
  schedule: Schedule | null
  /** Submitted values with the names of `groupFields`. */
  values?: Record<string, string> | undefined
  errors?: Record<string, string[]> | undefined
}

const SPARE_GROUPS = 2

/** The fields of a week as groups of days with the same hours. `parseWeekOfGroups` parses the submitted fields. */
export function WeekGroups({ schedule, values: sentValues, errors = {} }: WeekFieldsProps) {
  // Stored as state, so that a later save or response does not change the groups and values of the form.
  const [{ groups, assignments, values }] = useState(() => ({ ...groupsOf(schedule), values: sentValues ?? {} }))
  const assignmentOf = (name: DayOfWeek) => values[placeField(name)] ?? assignments[name]
  const usedAssignments = new Set(daysFromMonday.map(assignmentOf))
  const lastGroup = groupNumbers.findLast(
    (number) => usedAssignments.has(number) || Number(number) <= groups.length + SPARE_GROUPS,
  )
  const choices = { days: daysFromMonday, assignmentOf }
  const renderGroup = (number: string) => {
    const prefix = hoursPrefix(number)
    const legend = number === '1' ? '営業時間' : `営業時間 ${number}`
    const slots = groups[Number(number) - 1] ?? groups[0] ?? noSlots
    return (
      <Group legend={legend} note="この時間に営業する日" assignment={number} {...choices}>
        <HoursFields prefix={prefix} of={legend} slots={slots} values={values} errors={errors} />
      </Group>
    )
  }
  const dayErrors = daysFromMonday.flatMap((name) => errors[placeField(name)] ?? [])
  return (
    <div className={styles.groups}>
      {groupNumbers.slice(0, Number(lastGroup)).map((number) =>
        Number(number) <= groups.length ? (
          <div key={number}>{renderGroup(number)}</div>
        ) : (
          <SpareGroup
            key={number}
            prefix={hoursPrefix(number)}
            isUsed={usedAssignments.has(number)}
            hasError={Object.keys(errors).some((name) => name.startsWith(hoursPrefix(number)))}
          >
            {renderGroup(number)}
          </SpareGroup>
        ),
      )}
      <Group legend="定休日" note="お休みする日" assignment="closed" {...choices} />
      <Group
        legend="その曜日のとおり"
        note="祝日と祝前日を、ふだんの曜日と同じにする"
        assignment="usual"
        {...choices}
        days={extraDays}
      />
      <ClosedDaysFirst schedule={schedule} values={sentValues} />
      {dayErrors.length > 0 && <p className={styles.error}>{dayErrors.join(' ')}</p>}
      <p className={styles.hint}>{`曜日を押すと、その時間帯に移ります。${ONE_SLOT}`}</p>
    </div>
  )
}

export function ClosedDaysFirst({ schedule, values }: Pick<WeekFieldsProps, 'schedule' | 'values'>) {
  // Stored as state, so that a later save by another editor does not change the choice.
  const [isChosen] = useState(values ? readClosedDaysFirst(values, null) : schedule?.closedDaysFirst)
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

type SpareGroupProps = { prefix: string; isUsed: boolean; hasError: boolean; children: ReactNode }

/** A group without days. When the editor opens the group, the group copies the current hours of the first group. */
function SpareGroup({ prefix, isUsed, hasError, children }: SpareGroupProps) {
  const [isOpen, setOpen] = useState(isUsed)
  const group = useRef<HTMLDetailsElement>(null)
  const handleToggle = () => {
    const details = group.current
    const form = details?.closest('form')
    setOpen(details?.open === true)
    if (form && details?.open && !details.querySelector('input:checked')) copyFields(form, hoursPrefix('1'), prefix)
  }
  useEffect(() => {
    // The editor may have opened the group before the scripts ran.
    if (!isUsed && !hasError) handleToggle()
  }, [])
  return (
    <details ref={group} className={styles.another} open={isOpen || hasError} onToggle={handleToggle}>
      <summary>時間の異なる曜日を追加</summary>
      {children}
    </details>
  )
}

type GroupProps = {
  legend: string
  note: string
  assignment: string
  days: readonly DayOfWeek[]
  assignmentOf: (name: DayOfWeek) => string
  children?: ReactNode
}

function Group({ legend, note, assignment, days, assignmentOf, children }: GroupProps) {
  const id = useId()
  return (
    <fieldset className={styles.group} data-place={assignment} aria-describedby={id}>
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
              value={assignment}
              defaultChecked={assignmentOf(name) === assignment}
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
