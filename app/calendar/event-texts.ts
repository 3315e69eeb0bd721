import { type TextFields, textField } from '../translations/translation.ts'

export const eventTextFields: TextFields = { title: textField('タイトル', 100), content: textField('内容', 5000) }
