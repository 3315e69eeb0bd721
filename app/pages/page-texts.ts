import { type TextFields, textField } from '../translations/translation.ts'
import { pageTexts } from './page-words.ts'
import { parsePlainText, plainTextOf } from './plain-text.ts'

const { english: _, ...translated } = pageTexts

export const pageTextFields: TextFields = {
  ...Object.fromEntries(Object.entries(translated).map(([name, { label }]) => [name, textField(label)])),
  text: { label: '本文', read: plainTextOf, write: parsePlainText },
}
