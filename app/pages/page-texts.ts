import { type TextFields, textField } from '../translations/translation.ts'
import { pageTexts } from './page-words.ts'
import { parsePlainText, plainTextOf } from './plain-text.ts'
import { MAX_CHARACTERS } from './text.ts'

const { english: _, ...translated } = pageTexts

export const pageTextFields: TextFields = {
  ...Object.fromEntries(Object.entries(translated).map(([name, { label, most }]) => [name, textField(label, most)])),
  text: { label: '本文', most: MAX_CHARACTERS, read: plainTextOf, write: parsePlainText },
}
