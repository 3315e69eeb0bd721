import { type TextField, type TextFields, textField } from '../translations/translation.ts'
import { type CollectionName, collectionOf, maxLengths } from './card.ts'
import { fieldLabel } from './card-labels.ts'
import { type Price, pricesOf } from './price.ts'
import { storePrices } from './typed-prices.ts'

/** The labels of prices, like `小 / 大`. The numbers stay the same in all languages. */
const priceLabels: TextField<string> = {
  label: '価格の名前',
  most: 140,
  read: (stored) => labelsOf(stored).join(' / '),
  write(text, stored) {
    const labels = splitLabels(text)
    if (labels.length !== labelsOf(stored).length) return stored
    return storePrices(
      pricesOf(stored).map((price) => (hasLabel(price) ? { ...price, label: labels.shift() ?? '' } : price)),
    )
  },
  refusal(text, stored) {
    const labels = splitLabels(text)
    const count = labelsOf(stored).length
    if (labels.some((label) => /[、\d]/.test(label)))
      return '価格の名前だけを入力してください。数字は日本語と同じものを表示します'
    if (labels.length === count && !labels.includes('')) return null
    return `日本語と同じ数の名前（${count}つ）を「 / 」で区切って入力してください`
  },
  isDated: true,
}

// A word like 時価, which stands in place of a price, is a text of the program.
function hasLabel({ label, yen }: Price) {
  return label !== '' && yen !== null
}

function labelsOf(stored: string) {
  return pricesOf(stored)
    .filter(hasLabel)
    .map(({ label }) => label)
}

function splitLabels(text: string) {
  return text.split(/[/／]/).map((label) => label.trim())
}

export function cardTextFields(collection: CollectionName): TextFields {
  const names = (Object.keys(maxLengths) as (keyof typeof maxLengths)[]).filter((name) =>
    collectionOf(collection).fields.includes(name),
  )
  return {
    ...Object.fromEntries(names.map((name) => [name, textField(fieldLabel(name, collection), maxLengths[name])])),
    ...(collection === 'dining' && { price: priceLabels }),
  }
}
