import { useEffect } from 'react'
import { useRevalidator } from 'react-router'
import type { Visitor } from '../permissions.ts'

// The specification requires these flags. No permission may depend on a flag.
const SIGNED_IN = 'isLogin'
const APPROVED = 'isAdmin'

// The item is set and removed immediately, because setting an item fires the storage event in all other tabs.
const ACCOUNT_CHANGED = 'accountChanged'

export function useLocalFlags(visitor: Visitor) {
  const { revalidate } = useRevalidator()

  useEffect(() => {
    const wasSignedIn = ignoreErrors(() => localStorage.getItem(SIGNED_IN)) === 'true'
    store(SIGNED_IN, visitor && 'true')
    store(APPROVED, visitor?.member ? String(visitor.member.admin) : null)
    if (wasSignedIn !== (visitor !== null)) notifyOtherTabs()
  }, [visitor])

  useEffect(() => {
    const revalidateOnChange = ({ key, newValue }: StorageEvent) => {
      if (key === ACCOUNT_CHANGED && newValue) revalidate()
    }
    addEventListener('storage', revalidateOnChange)
    return () => removeEventListener('storage', revalidateOnChange)
  }, [revalidate])
}

export function clearLocalFlags() {
  store(SIGNED_IN, null)
  store(APPROVED, null)
  ignoreErrors(() => {
    sessionStorage.clear()
    indexedDB.deleteDatabase('drafts')
  })
}

export function notifyOtherTabs() {
  store(ACCOUNT_CHANGED, 'yes')
  store(ACCOUNT_CHANGED, null)
}

function store(key: string, value: string | null) {
  ignoreErrors(() => (value === null ? localStorage.removeItem(key) : localStorage.setItem(key, value)))
}

/** Returns null if the browser blocks the storage. The items are optional, so errors are ignored. */
export function ignoreErrors<T>(work: () => T) {
  try {
    return work()
  } catch {
    return null
  }
}
