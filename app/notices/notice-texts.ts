import { type TextFields, textField } from '../translations/translation.ts'
import { MAX_TEXT } from './notice-form.ts'

export const noticeTextFields: TextFields = { text: textField('お知らせの文', MAX_TEXT) }
