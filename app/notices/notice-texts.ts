import { type TextFields, textField } from '../translations/translation.ts'

export const noticeTextFields: TextFields = { text: textField('お知らせ') }
