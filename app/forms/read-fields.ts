import type { z } from 'zod'
import { fieldErrors } from '../ui/field-errors.ts'
import { Rejection } from './outcome.ts'
import type { FieldErrors } from './save-result.ts'

type Read<T> = { value: T; errors?: undefined } | { value?: undefined; errors: FieldErrors }

function readFields<T>(schema: z.ZodType<T>, form: FormData): Read<T> {
  const given = [...form].filter(([, value]) => typeof value === 'string' && value !== '')
  return readValues(schema, Object.fromEntries(given))
}

function readValues<T>(schema: z.ZodType<T>, values: object): Read<T> {
  const read = schema.safeParse(values)
  return read.success ? { value: read.data } : { errors: fieldErrors(read.error.issues) }
}

/** Returns the parsed fields. Throws a `Rejection` with the field errors. */
export function parseFields<T>(schema: z.ZodType<T>, form: FormData): T {
  return accepted(readFields(schema, form))
}

/** Returns the parsed values, empty ones included. Throws a `Rejection` with the field errors. */
export function parseValues<T>(schema: z.ZodType<T>, values: object): T {
  return accepted(readValues(schema, values))
}

function accepted<T>(read: Read<T>): T {
  if (read.errors) throw new Rejection({ errors: read.errors }, 400)
  return read.value
}

/** Returns a `check` for `useSave`. */
export function checkFields(schema: z.ZodType) {
  return (form: FormData) => readFields(schema, form).errors ?? null
}
