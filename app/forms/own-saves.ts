import type { SaveResult } from './save-result.ts'

export const MAX_OWN_SAVES = 50

// The IDs are only in memory, because a reload fetches current versions. A draft stores its own copy.
let ids: string[] = []

export function rememberSave({ save, undo }: SaveResult) {
  const id = save ?? undo?.fields.save
  if (id) ids = [...ids, id].slice(-MAX_OWN_SAVES)
}

export function rememberSavesOf({ own = '' }: { own?: string }) {
  ids = [...own.split(' ').filter(Boolean), ...ids].slice(-MAX_OWN_SAVES)
}

export function ownSaves() {
  return ids.join(' ')
}
