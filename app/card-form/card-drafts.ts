import type { Values } from './card-values.ts'

/** What was typed into the form of a card and not saved, kept in this browser; `version` is the card's, as it was read. */
export type CardDraft = { version: number; values: Values }

/** The form of one card, or of a new one of a collection, before this account. */
export type FormOf = { collection: string; id: string | undefined; accountId: string }

const keyOf = ({ collection, id = 'new', accountId }: FormOf) => `${collection} ${id} ${accountId}`

// Not in localStorage: what is written there often waits in Chromium's memory for a minute, and dies with it.
let database: Promise<IDBDatabase> | undefined

/** What was left in a form; null where nothing was, or the browser keeps nothing for this site. */
export function readDraft(form: FormOf): Promise<CardDraft | null> {
  return inStore('readonly', (drafts) => drafts.get(keyOf(form)))
    .then((draft) => (draft as CardDraft | undefined) ?? null)
    .catch(() => null)
}

/** Where the browser keeps nothing for this site, what is typed is only in the form. */
export function keepDraft(form: FormOf, draft: CardDraft) {
  inStore('readwrite', (drafts) => drafts.put(draft, keyOf(form))).catch(() => {})
}

export async function forgetDraft(form: FormOf) {
  await inStore('readwrite', (drafts) => drafts.delete(keyOf(form))).catch(() => {})
}

async function inStore<T>(mode: IDBTransactionMode, work: (drafts: IDBObjectStore) => IDBRequest<T>) {
  database ??= answerOf(openDatabase())
  const open = await database
  // Signing out removes all of it.
  open.onversionchange = () => {
    open.close()
    database = undefined
  }
  return answerOf(work(open.transaction('drafts', mode).objectStore('drafts')))
}

function openDatabase() {
  const opening = indexedDB.open('drafts', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('drafts')
  return opening
}

function answerOf<T>(request: IDBRequest<T>) {
  return new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
