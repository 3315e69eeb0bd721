import { eachRow, type Hours, noSlots, type Schedule, type Slots } from './business-day.ts'

type HourField = `${'start' | 'end'}time${1 | 2}_${'hour' | 'minute'}`

/** The two slots of a day in columns, JSON calls and forms, as two-digit strings. An absent slot has only 00. */
export type HourFields = Record<HourField, string>

const slotNumbers = [1, 2] as const

export function hourFieldsOf(slots: Slots) {
  const fields = slotNumbers.flatMap((number) =>
    (['start', 'end'] as const).flatMap((edge) => {
      const [hour, minute] = (slots[number - 1]?.[edge] ?? '00:00').split(':')
      return Object.entries({ [`${edge}time${number}_hour`]: hour, [`${edge}time${number}_minute`]: minute })
    }),
  )
  return Object.fromEntries(fields) as HourFields
}

export const noHourFields = hourFieldsOf(noSlots)
export const hourFields = Object.keys(noHourFields) as HourField[]

export function parseSlots(valueFor: (name: HourField) => string): Slots {
  return slotNumbers.map((number) => {
    const readTime = (edge: 'start' | 'end') =>
      `${valueFor(`${edge}time${number}_hour`)}:${valueFor(`${edge}time${number}_minute`)}`
    const slot = { start: readTime('start'), end: readTime('end') }
    return slot.start === '00:00' && slot.end === '00:00' ? null : slot
  })
}

export const rowFields = [...hourFields, 'open_or_close'] as const

/** Returns the schedule as stored in its column and sent as JSON. The `Schedule` schema parses this format. */
export function scheduleFieldsOf({ closedDaysFirst, ...rows }: Schedule) {
  const fieldsOf = ({ open, slots }: Hours) => ({ ...hourFieldsOf(slots), open_or_close: open ? 'open' : 'close' })
  return { ...eachRow((name) => fieldsOf(rows[name])), closedDaysFirst }
}
