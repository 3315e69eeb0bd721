import { z } from 'zod'
import { isPlainAddress } from '../email-address.ts'
import {
  cleaned,
  fieldsOf,
  lengthSeen,
  type MemberField,
  type MemberFields,
  memberFieldNames,
  memberFields,
  type Step,
  sentences,
} from './member.ts'

function rule(name: MemberField) {
  const { label, most } = memberFields[name]
  const tooLong = name === 'accountname' ? sentences.accountnameTooLong : `${label}は${most}文字までです`
  const text = z
    .string(sentences.blank)
    .transform(cleaned)
    .refine((value) => value !== '', { error: sentences.blank, abort: true })
    .refine((value) => lengthSeen(value) <= most, tooLong)
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

export type Faults = Partial<Record<MemberField, string>>

/** What is wrong with the fields of a step, one sentence each; null where nothing is. */
export function faultsOfStep(step: Step, given: Record<string, unknown>): Faults | null {
  const { error } = ofStep[step].safeParse(given)
  return error ? faults(error) : null
}

/** The fields of a member as they are kept, or what is wrong with them. */
export function parseMember(given: Record<string, unknown>): { fields: MemberFields } | { faults: Faults } {
  const { data, error } = whole.safeParse(given)
  return error ? { faults: faults(error) } : { fields: data as MemberFields }
}

function faults({ issues }: z.ZodError) {
  const found: Faults = {}
  for (const { path, message } of issues) found[path[0] as MemberField] ??= message
  return found
}
