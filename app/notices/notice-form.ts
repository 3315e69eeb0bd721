import { z } from 'zod'
import { checkbox, linkField, textField } from '../forms/form-rules.ts'
import { checkDisplay, displayRules } from '../sections/display-rules.ts'
import { type TextFields, textField as translatedField } from '../translations/translation.ts'
import type { Place } from './notice.ts'

export const places: Record<Place, string> = {
  every: 'すべてのページ',
  home: 'ホーム',
  dining: 'お料理',
  calendar: 'カレンダー',
  circle: 'サークルのページ',
}

export const MAX_TEXT = 500

export const noticeTextFields: TextFields = { text: translatedField('お知らせの文', MAX_TEXT) }

const rules = {
  text: textField('お知らせの文', MAX_TEXT).min(1, 'お知らせの文を入力してください'),
  link: linkField,
  place: z.enum(Object.keys(places) as Place[], '表示するページを選んでください').default('every'),
  important: checkbox,
  ...displayRules,
}

export const noticeFieldNames = Object.keys(rules) as (keyof typeof rules)[]

export const NoticeForm = z.object(rules).superRefine(checkDisplay)
export type NoticeForm = z.infer<typeof NoticeForm>

/** Returns the form values of a notice. A ticked checkbox is `on`. */
export function noticeFormValues(notice: NoticeForm): Record<string, string> {
  const values = Object.fromEntries(noticeFieldNames.map((name) => [name, String(notice[name])]))
  return { ...values, important: notice.important ? 'on' : '' }
}
