import { z } from 'zod'
import { checkbox, textField } from '../forms/form-rules.ts'
import { type TextFields, textField as translatedField } from '../translations/translation.ts'
import { cleanLine, foldWidth } from '../ui/typed-text.ts'
import { checkDisplay, displayRules } from './display-rules.ts'

/** When the dishes of a section are served: at any time, in a slot of the opening hours, or at times of its own. */
export const servedLabels = {
  any: 'いつでも',
  slot1: '営業時間の1つ目の時間帯（お昼など）',
  slot2: '営業時間の2つ目の時間帯（夜など）',
  own: '決まった時間',
} as const

export const MAX_NAME = 40
export const MAX_INTRODUCTION = 200

export const sectionTextFields: TextFields = {
  name: translatedField('分類の名前', MAX_NAME),
  introduction: translatedField('紹介文', MAX_INTRODUCTION),
}

const time = z
  .string()
  .overwrite(foldWidth)
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d)?$/, '時刻を選び直してください')
  .default('')

const rules = {
  name: textField('分類の名前', MAX_NAME, cleanLine).min(1, '分類の名前を入力してください'),
  introduction: textField('紹介文', MAX_INTRODUCTION).default(''),
  served: z
    .enum(Object.keys(servedLabels) as (keyof typeof servedLabels)[], 'ご提供の時間を選んでください')
    .default('any'),
  servedFrom: time,
  servedUntil: time,
  draft: checkbox,
  ...displayRules,
}

export const sectionFieldNames = Object.keys(rules) as (keyof typeof rules)[]

export const SectionForm = z
  .object(rules)
  .superRefine(checkDisplay)
  .superRefine(({ served, servedFrom, servedUntil }, context) => {
    if (served === 'own' && (!servedFrom || !servedUntil || servedFrom === servedUntil))
      context.addIssue({ code: 'custom', path: ['servedFrom'], message: '始まりと終わりの時刻を選んでください' })
  })

export type SectionFormValues = z.infer<typeof SectionForm>

/** Settings of a section. `hiddenUntil` is YYYY-MM-DDTHH:MM in Japan: guests do not see the section until then. */
export type SectionFacts = SectionFormValues & { order: number; hiddenUntil: string }

export type Section = SectionFacts & { id: string; version: number }

export function compareSections(a: Pick<Section, 'order' | 'id'>, b: Pick<Section, 'order' | 'id'>) {
  return a.order - b.order || (a.id < b.id ? -1 : 1)
}

/** Returns the form values of a section. A ticked checkbox is `on`. */
export function sectionFormValues(facts: SectionFacts): Record<string, string> {
  const values = Object.fromEntries(sectionFieldNames.map((name) => [name, String(facts[name])]))
  return { ...values, draft: facts.draft ? 'on' : '' }
}
