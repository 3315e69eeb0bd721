import type { z } from 'zod'
import { fieldErrors } from '../ui/field-errors.ts'
import { Rejection } from './outcome.ts'
import type { FieldErrors } from './save-result.ts'

type ParseResult<T> = { value: T; errors?: undefined } | { value?: undefined; errors: FieldErrors }

function readFields<T>(schema: z.ZodType<T>, form: FormData): ParseResult<T> {
  const filled = [...form].filter(([, value]) => typeof value === 'string' && value !== '')
  return readValues(schema, Object.fromEntries(filled))
}

function readValues<T>(schema: z.ZodType<T>, values: object): ParseResult<T> {
  const parsed = schema.safeParse(values)
  return parsed.success ? { value: parsed.data } : { errors: fieldErrors(parsed.error.issues) }
}

/** Returns the parsed fields. Throws a `Rejection` with the field errors. */
export function parseFields<T>(schema: z.ZodType<T>, form: FormData): T {
  return valueOrReject(readFields(schema, form))
}

/** Returns the parsed values, empty ones included. Throws a `Rejection` with the field errors. */
export function parseValues<T>(schema: z.ZodType<T>, values: object): T {
  return valueOrReject(readValues(schema, values))
}

function valueOrReject<T>(parsed: ParseResult<T>): T {
  if (parsed.errors) throw new Rejection({ errors: parsed.errors }, 400)
  return parsed.value
}

export function checkFields(schema: z.ZodType) {
  return (form: FormData) => readFields(schema, form).errors ?? null
}
