import type { z } from 'zod'
import { fieldErrors } from '../ui/field-errors.ts'
import type { FieldErrors } from './save-answer.ts'

type Read<T> = { value: T; errors?: undefined } | { value?: undefined; errors: FieldErrors }

/** A form as the schema reads it, on both sides: the value, or what is wrong with which field. */
export function readFields<T>(schema: z.ZodType<T>, form: FormData): Read<T> {
  const read = schema.safeParse(valuesIn(form))
  return read.success ? { value: read.data } : { errors: fieldErrors(read.error.issues) }
}

/** What is wrong with the fields of a form before it is sent; null where nothing is. */
export function checkFields(schema: z.ZodType) {
  return (form: FormData) => readFields(schema, form).errors ?? null
}

// By their names, as text; a field that was left empty is not there.
function valuesIn(form: FormData): Record<string, string> {
  const given = [...form].filter((field): field is [string, string] => typeof field[1] === 'string' && field[1] !== '')
  return Object.fromEntries(given)
}
