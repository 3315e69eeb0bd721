import type { z } from 'zod'
import { fieldErrors } from '../ui/field-errors.ts'
import { Rejection } from './outcome.ts'

/** Parses the non-empty fields of a form. Throws a `Rejection` with the field errors if a field is invalid. */
export function parseFields<T>(schema: z.ZodType<T>, form: FormData): T {
  return parseValues(schema, filledFieldsOf(form))
}

/** Parses values, including empty values. Throws a `Rejection` with the field errors if a value is invalid. */
export function parseValues<T>(schema: z.ZodType<T>, values: object): T {
  const { data, error } = schema.safeParse(values)
  if (error) throw new Rejection({ errors: fieldErrors(error.issues) }, 400)
  return data
}

export function checkFields(schema: z.ZodType) {
  return (form: FormData) => {
    const { error } = schema.safeParse(filledFieldsOf(form))
    return error ? fieldErrors(error.issues) : null
  }
}

function filledFieldsOf(form: FormData) {
  return Object.fromEntries([...form].filter(([, value]) => typeof value === 'string' && value !== ''))
}
