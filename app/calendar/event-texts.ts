import { type TextFields, textField } from '../translations/translation.ts'

export const eventTextFields: TextFields = { title: textField('タイトル'), content: textField('内容') }
