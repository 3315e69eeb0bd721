export type Values = Record<string, string>

/**
 * A draft. `version` is the version of the record at the first input. `own` has the IDs of the tab's own saves,
 * separated by spaces. `at` is in milliseconds since 1970.
 */
export type Draft = { version: number; own?: string; values: Values; at: number }

export type DraftStore = {
  /** Returns null if there is no draft or if the browser stores no data for this site. */
  read(key: string): Promise<Draft | null>
  /** Returns false if the browser could not store the draft. */
  write(key: string, draft: Draft): Promise<boolean>
  /** Removes `draft`, unless another tab has written a later draft. */
  remove(key: string, draft: Draft): Promise<unknown>
}

const DAY_MS = 24 * 60 * 60 * 1000
const RETENTION_MS = 30 * DAY_MS
const TAB_RETENTION_MS = DAY_MS

// Not localStorage: Chromium often delays its writes for a minute, and a crash loses these writes.
let database: Promise<IDBDatabase> | undefined

/** Drafts of accounts. Stored until the account signs out. */
export const accountDrafts: DraftStore = {
  read: (key) =>
    runRequest('readonly', (drafts) => drafts.get(key)).then(
      (draft?: Draft) => draft ?? null,
      () => null,
    ),
  write: (key, draft) =>
    runRequest('readwrite', (drafts) => drafts.put(draft, key)).then(
      () => true,
      () => false,
    ),
  remove: (key, { at }) =>
    runRequest('readwrite', (drafts) => {
      const getRequest = drafts.get(key)
      getRequest.addEventListener('success', () => getRequest.result?.at === at && drafts.delete(key))
      return getRequest
    }).catch(() => {}),
}

/** Drafts of guests. Removed when the tab closes, because the device may be shared. */
export const tabDrafts: DraftStore = {
  async read(key) {
    try {
      const draft = JSON.parse(sessionStorage.getItem(`draft ${key}`) ?? 'null') as Draft | null
      return draft && draft.at > Date.now() - TAB_RETENTION_MS ? draft : null
    } catch {
      return null
    }
  },
  async write(key, draft) {
    try {
      sessionStorage.setItem(`draft ${key}`, JSON.stringify(draft))
      return true
    } catch {
      return false
    }
  },
  async remove(key) {
    try {
      sessionStorage.removeItem(`draft ${key}`)
    } catch {}
  },
}

async function runRequest<T>(mode: IDBTransactionMode, createRequest: (drafts: IDBObjectStore) => IDBRequest<T>) {
  database ??= openDatabase()
  const connection = await database
  return toPromise(createRequest(connection.transaction('drafts', mode).objectStore('drafts')))
}

async function openDatabase() {
  const openRequest = indexedDB.open('drafts', 1)
  openRequest.onupgradeneeded = () => openRequest.result.createObjectStore('drafts')
  const connection = await toPromise(openRequest)
  // A sign-out deletes the database. An open connection would block the deletion.
  connection.onversionchange = () => {
    connection.close()
    database = undefined
  }
  removeExpired(connection)
  return connection
}

// Starts before all other transactions on the store, so that later reads wait for the removal.
function removeExpired(connection: IDBDatabase) {
  const scan = connection.transaction('drafts', 'readwrite').objectStore('drafts').openCursor()
  scan.onsuccess = () => {
    const cursor = scan.result
    if (cursor?.value.at < Date.now() - RETENTION_MS) cursor?.delete()
    cursor?.continue()
  }
}

function toPromise<T>(request: IDBRequest<T>) {
  return new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
