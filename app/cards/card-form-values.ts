import { type Card, type Field, fields } from './card.ts'

/** A ticked checkbox is `on`. Marks and allergens are joined by 、, as stored. */
export type CardValues = Record<Field, string>

/** Returns the submitted values. Joins the year, month and day even if the date does not exist. */
export function readCardValues(form: FormData): CardValues {
  const textOf = (name: string) => String(form.get(name) ?? '')
  const [year, month, day] = ['Year', 'Month', 'Day'].map((part) => textOf(`eventDay${part}`))
  const hasDay = year || month || day
  return {
    ...(Object.fromEntries(fields.map((name) => [name, textOf(name)])) as CardValues),
    eventDay: hasDay ? `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}` : '',
    marks: form.getAll('marks').join('、'),
    allergens: form.getAll('allergens').join('、'),
  }
}

export function toCardValues(item: Partial<Card>): CardValues {
  return {
    ...(Object.fromEntries(fields.map((name) => [name, String(item[name] ?? '')])) as CardValues),
    allergensConfirmed: item.allergensConfirmed ? 'on' : '',
    draft: item.draft ? 'on' : '',
  }
}
