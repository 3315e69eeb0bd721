import { MAX_OWN_SAVES } from './own-saves.ts'

/** The version of a record in a form. `own` has the IDs of the saves that the form's tab lists as its own. */
export type SeenVersion = { version: number; own?: readonly string[] }

export function readSeenVersion(form: FormData): Required<SeenVersion> {
  const own = String(form.get('own') ?? '')
  return { version: Number(form.get('version')), own: own.split(' ').filter(Boolean).slice(-MAX_OWN_SAVES) }
}
