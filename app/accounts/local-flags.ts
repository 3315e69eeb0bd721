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
    const known = read(SIGNED_IN) === 'true'
    if (visitor) store(SIGNED_IN, 'true')
    else remove(SIGNED_IN)
    if (visitor?.member) store(APPROVED, String(visitor.member.admin))
    else remove(APPROVED)
    if (known !== (visitor !== null)) tellOtherTabs()
  }, [visitor])

  useEffect(() => {
    const lookAgain = ({ key, newValue }: StorageEvent) => {
      if (key === CHANGED && newValue) revalidate()
    }
    addEventListener('storage', lookAgain)
    return () => removeEventListener('storage', lookAgain)
  }, [revalidate])
}

export function forgetLocally() {
  remove(SIGNED_IN)
  remove(APPROVED)
  try {
    sessionStorage.clear()
    indexedDB.deleteDatabase('drafts')
  } catch {}
}

export function tellOtherTabs() {
  store(CHANGED, 'yes')
  remove(CHANGED)
}

// localStorage throws if the browser blocks storage; nothing needs syncing then.
function read(key: string) {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function store(key: string, value: string) {
  try {
    localStorage.setItem(key, value)
  } catch {}
}

function remove(key: string) {
  try {
    localStorage.removeItem(key)
  } catch {}
}
