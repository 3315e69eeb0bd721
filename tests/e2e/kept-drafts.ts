import type { Page } from '@playwright/test'

/** Returns the drafts that the browser has stored, as JSON. Returns '' if the browser has no database. */
export function storedDrafts(page: Page) {
  return page.evaluate(keptDrafts)
}

/** Returns the stored drafts as JSON. Runs in the page. */
export async function keptDrafts() {
  const databases = await indexedDB.databases()
  if (databases.length === 0) return ''
  return new Promise<string>((resolve) => {
    const openRequest = indexedDB.open('drafts')
    openRequest.onsuccess = () => {
      const readRequest = openRequest.result.transaction('drafts').objectStore('drafts').getAll()
      readRequest.onsuccess = () => {
        openRequest.result.close()
        resolve(JSON.stringify(readRequest.result))
      }
    }
  })
}
