import { dayWithYearInWords } from '../days/month.ts'
import { type CollectionName, type ContentFields, collections, type Field } from './content-item.ts'
import { fieldWords } from './content-words.ts'

type Stored = Omit<ContentFields, 'draft'> & { collection: CollectionName; draft: number; soldOutAt?: string | null }

/** A stored card as the history tells of it: the fields of its form, by their labels. */
export function cardInWords({ soldOutAt, ...card }: Stored): Record<string, string> {
  const own = collections[card.collection].fields.map((field) => [fieldWords[field], fieldInWords(field, card)])
  return { ...Object.fromEntries(own), ...(soldOutAt && { 本日売り切れ: 'はい' }) }
}

function fieldInWords(field: Field, card: Omit<Stored, 'soldOutAt'>) {
  if (field === 'draft') return card.draft ? '下書き' : '公開'
  if (field === 'eventDay') return card.eventDay ? dayWithYearInWords(card.eventDay) : ''
  return String(card[field] ?? '')
}
