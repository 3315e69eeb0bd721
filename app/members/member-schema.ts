import { z } from 'zod'
import { cleanEmail, isPlainEmail } from '../forms/email-address.ts'
import type { FieldErrors } from '../forms/save-result.ts'
import { maxCharacters } from '../ui/characters.ts'
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
  stepNumbers,
} from './member.ts'

function createFieldSchema(name: MemberField) {
  const { label, maxLength, kind } = memberFields[name]
  const tooLong = name === 'accountname' ? sentences.accountnameTooLong : `${label}は${maxLength}文字までです`
  const text = z
    .string(sentences.blank)
    .overwrite(name === 'email' ? cleanEmail : kind === 'text' ? cleanText : cleanLine)
    .min(1, { error: sentences.blank, abort: true })
    .refine(maxCharacters(maxLength), tooLong)
  return name === 'email' ? text.refine(isPlainEmail, sentences.email) : text
}

function createSchema(names: MemberField[]) {
  return z.object(Object.fromEntries(names.map((name) => [name, createFieldSchema(name)])))
}

export const Member = createSchema(memberFieldNames) as unknown as z.ZodType<MemberFields>
const stepSchemas = stepNumbers.map((step) => createSchema(fieldsOf(step)))

export function validateStep(step: Step, input: Record<string, unknown>): FieldErrors | null {
  const error = stepSchemas[step - 1]?.safeParse(input).error
  return error ? fieldErrors(error.issues) : null
}

export function parseMember(input: Record<string, unknown>): { fields: MemberFields } | { errors: FieldErrors } {
  const { data, error } = Member.safeParse(input)
  return error ? { errors: fieldErrors(error.issues) } : { fields: data }
}
