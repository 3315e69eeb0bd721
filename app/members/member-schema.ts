import { z } from 'zod'
import { cleanEmail, isPlainAddress } from '../forms/email-address.ts'
import type { FieldErrors } from '../forms/save-answer.ts'
import { atMost } from '../ui/characters.ts'
import { fieldErrors } from '../ui/field-errors.ts'
import { cleanLine, cleanText } from '../ui/typed-text.ts'
import {
  fieldsOf,
  type MemberField,
  type MemberFields,
  memberFieldNames,
  memberFields,
  type Step,
  sentences,
} from './member.ts'

function rule(name: MemberField) {
  const { label, most, kind } = memberFields[name]
  const tooLong = name === 'accountname' ? sentences.accountnameTooLong : `${label}は${most}文字までです`
  const text = z
    .string(sentences.blank)
    .overwrite(name === 'email' ? cleanEmail : kind === 'text' ? cleanText : cleanLine)
    .min(1, { error: sentences.blank, abort: true })
    .refine(atMost(most), tooLong)
  return name === 'email' ? text.refine(isPlainAddress, sentences.email) : text
}

function schemaOf(names: MemberField[]) {
  return z.object(Object.fromEntries(names.map((name) => [name, rule(name)])))
}

const whole = schemaOf(memberFieldNames)
const ofStep = {
  1: schemaOf(fieldsOf(1)),
  2: schemaOf(fieldsOf(2)),
  3: schemaOf(fieldsOf(3)),
  4: schemaOf(fieldsOf(4)),
  5: schemaOf(fieldsOf(5)),
}

export function errorsOfStep(step: Step, given: Record<string, unknown>): FieldErrors | null {
  const { error } = ofStep[step].safeParse(given)
  return error ? fieldErrors(error.issues) : null
}

export function parseMember(given: Record<string, unknown>): { fields: MemberFields } | { errors: FieldErrors } {
  const { data, error } = whole.safeParse(given)
  return error ? { errors: fieldErrors(error.issues) } : { fields: data as MemberFields }
}
