import { type TextField, type TextFields, textField } from '../translations/translation.ts'
import { type CollectionName, collectionOf } from './card.ts'
import { fieldLabel } from './card-labels.ts'
import { pricesOf, storePrices } from './price.ts'

const SEPARATOR = ' / '

/** The labels of prices, like `小 / 大`. The numbers stay the same in all languages. */
const priceLabels: TextField<string> = {
  label: '価格の名前',
  read: (stored) => labelsOf(stored).join(SEPARATOR),
  write(text, stored) {
    const labels = text.split(SEPARATOR)
    if (labels.length !== labelsOf(stored).length) return stored
    return storePrices(
      pricesOf(stored).map((price) => (price.label ? { ...price, label: labels.shift() ?? '' } : price)),
    )
  },
  isDated: true,
}

function labelsOf(stored: string) {
  return pricesOf(stored).flatMap(({ label }) => label || [])
}

/** Returns the translated fields of the cards of a collection. */
export function cardTextFields(collection: CollectionName): TextFields {
  const names = (['title', 'content', 'text1', 'text2', 'text3', 'imageAlt'] as const).filter((name) =>
    collectionOf(collection).fields.includes(name),
  )
  return {
    ...Object.fromEntries(names.map((name) => [name, textField(fieldLabel(name, collection))])),
    ...(collection === 'dining' && { price: priceLabels }),
  }
}
