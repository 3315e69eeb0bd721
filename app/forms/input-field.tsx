import type { ComponentProps, ReactNode } from 'react'
import { Field } from '../ui/field.tsx'
import type { Values } from './drafts.ts'
import type { FieldErrors } from './save-result.ts'

/** The values of a form when it appears, and the errors of its last submission, by the names of the fields. */
export type FormState = { values: Values; errors: FieldErrors | undefined }

type Props = ComponentProps<'input'> & FormState & { name: string; label: string; hint?: ReactNode }

/** A labelled input with the value and the errors of its name. */
export function InputField({ label, hint, values, errors, ...attributes }: Props) {
  const { name, required = false } = attributes
  return (
    <Field label={label} hint={hint} required={required} errors={errors?.[name]}>
      {(wiring) => <input {...attributes} {...wiring} defaultValue={values[name]} />}
    </Field>
  )
}
