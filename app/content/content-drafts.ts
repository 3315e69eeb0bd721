import type { Values } from './content-values.ts'

/** What was typed into the form of a card and not saved, kept in this browser; `version` is the card's, as it was read. */
export type Draft = { version: number; values: Values }

/** The form of one card, or of a new one of a collection. */
export type FormOf = { collection: string; id: string | undefined }

const nameOf = ({ collection, id = 'new' }: FormOf) => `draft ${collection} ${id}`

export function readDraft(form: FormOf): Draft | null {
  try {
    const draft = JSON.parse(localStorage.getItem(nameOf(form)) ?? 'null') as Draft | null
    return typeof draft?.version === 'number' && typeof draft.values === 'object' ? draft : null
  } catch {
    return null
  }
}

/** Where the browser keeps nothing for this site, what is typed is only in the form. */
export function keepDraft(form: FormOf, draft: Draft) {
  try {
    localStorage.setItem(nameOf(form), JSON.stringify(draft))
  } catch {}
}

export function forgetDraft(form: FormOf) {
  try {
    localStorage.removeItem(nameOf(form))
  } catch {}
}
