import { type TextFields, textField } from '../translations/translation.ts'

/** Labels of the cause and the note of a special day, and the maximum length of each text in characters. */
export const CAUSE = '詳しい理由'
export const NOTE = 'お客さまへの一文'
export const MAX_CAUSE = 20
export const MAX_NOTE = 60

export const dayTextFields: TextFields = {
  cause: textField(CAUSE, MAX_CAUSE, { isDated: true }),
  note: textField(NOTE, MAX_NOTE, { isDated: true }),
}
