import type { SaveAnswer } from './save-answer.ts'

/** Limits the IDs that a form carries, on both sides. */
export const MAX_OWN_SAVES = 50

// A reload reads the page again; only drafts outlive it, with these IDs. Another tab shows its own versions.
let ids: string[] = []

/** Remembers the save of a successful answer, so that later forms of this tab may name it. */
export function rememberSave({ save, undo }: SaveAnswer) {
  const id = save ?? undo?.fields.save
  if (id) ids = [...ids, id].slice(-MAX_OWN_SAVES)
}

/** Remembers the saves of the tab in which a restored draft was typed. */
export function rememberSavesOf({ own = '' }: { own?: string }) {
  ids = [...own.split(' ').filter(Boolean), ...ids].slice(-MAX_OWN_SAVES)
}

/** Returns the IDs of the latest saves that this tab made, as the form field `own` carries them. */
export function ownSaves() {
  return ids.join(' ')
}
