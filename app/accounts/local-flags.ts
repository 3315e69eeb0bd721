import { useEffect } from 'react'
import { useRevalidator } from 'react-router'
import type { Visitor } from '../permissions.ts'

// Required by the specification. No permission may depend on these flags.
const SIGNED_IN = 'isLogin'
const APPROVED = 'isAdmin'

// Set and removed at once: only other tabs receive the storage event.
const CHANGED = 'accountChanged'

export function useLocalFlags(visitor: Visitor) {
  const { revalidate } = useRevalidator()

  useEffect(() => {
    const known = quietly(() => localStorage.getItem(SIGNED_IN)) === 'true'
    store(SIGNED_IN, visitor && 'true')
    store(APPROVED, visitor?.member ? String(visitor.member.admin) : null)
    if (known !== (visitor !== null)) notifyOtherTabs()
  }, [visitor])

  useEffect(() => {
    const lookAgain = ({ key, newValue }: StorageEvent) => {
      if (key === CHANGED && newValue) revalidate()
    }
    addEventListener('storage', lookAgain)
    return () => removeEventListener('storage', lookAgain)
  }, [revalidate])
}

export function clearLocalFlags() {
  store(SIGNED_IN, null)
  store(APPROVED, null)
  quietly(() => {
    sessionStorage.clear()
    indexedDB.deleteDatabase('drafts')
  })
}

export function notifyOtherTabs() {
  store(CHANGED, 'yes')
  store(CHANGED, null)
}

function store(key: string, value: string | null) {
  quietly(() => (value === null ? localStorage.removeItem(key) : localStorage.setItem(key, value)))
}

// Storage throws if the browser blocks it; nothing needs syncing then.
function quietly<T>(work: () => T) {
  try {
    return work()
  } catch {
    return null
  }
}
