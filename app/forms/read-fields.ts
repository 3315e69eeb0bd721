import type { z } from 'zod'
import { fieldErrors } from '../ui/field-errors.ts'
import type { FieldErrors } from './save-answer.ts'

type Read<T> = { value: T; errors?: undefined } | { value?: undefined; errors: FieldErrors }

export function readFields<T>(schema: z.ZodType<T>, form: FormData): Read<T> {
  const given = [...form].filter(([, value]) => typeof value === 'string' && value !== '')
  const read = schema.safeParse(Object.fromEntries(given))
  return read.success ? { value: read.data } : { errors: fieldErrors(read.error.issues) }
}

/** Returns a `check` for `useSave`. */
export function checkFields(schema: z.ZodType) {
  return (form: FormData) => readFields(schema, form).errors ?? null
}
