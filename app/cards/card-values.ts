import { type Card, type Field, fields } from './card.ts'

/** The fields of a card as its form holds them: text, a tick as `on`, the allergens as they are stored. */
export type Values = Record<Field, string>

const texts = fields.filter((field) => field !== 'eventDay' && field !== 'allergens')

/** What a form was filled in with; the parts of a date are joined, whether or not there is such a day. */
export function valuesIn(form: FormData): Values {
  const sent = (name: string) => String(form.get(name) ?? '')
  const [year, month, day] = ['Year', 'Month', 'Day'].map((part) => sent(`eventDay${part}`))
  const hasDay = year || month || day
  return {
    ...(Object.fromEntries(texts.map((name) => [name, sent(name)])) as Values),
    eventDay: hasDay ? `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}` : '',
    allergens: form.getAll('allergens').join('、'),
  }
}

/** What the form of a card starts with; `item` may lack fields. */
export function valuesOf(item: Partial<Card>): Values {
  return {
    ...(Object.fromEntries(texts.map((name) => [name, String(item[name] ?? '')])) as Values),
    eventDay: item.eventDay ?? '',
    allergens: item.allergens ?? '',
    allergensConfirmed: item.allergensConfirmed ? 'on' : '',
    draft: item.draft ? 'on' : '',
  }
}
