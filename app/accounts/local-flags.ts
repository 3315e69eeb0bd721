import { useEffect } from 'react'
import { useRevalidator } from 'react-router'
import type { Visitor } from '../permissions.ts'

// Decoration of this browser, as specified: nothing that matters reads them.
const SIGNED_IN = 'isLogin'
const APPROVED = 'isAdmin'

// Written and taken away at once: the other tabs hear of it, this one does not.
const CHANGED = 'accountChanged'

/** Keeps what is locally stored in step with the visitor, and looks again when another tab has signed in or out. */
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

/** Clears what is locally stored of the visitor, with what they typed and did not save. */
export function forgetLocally() {
  remove(SIGNED_IN)
  remove(APPROVED)
  try {
    sessionStorage.clear()
    indexedDB.deleteDatabase('drafts')
  } catch {}
}

/** Has the other tabs look again at who is signed in. */
export function tellOtherTabs() {
  store(CHANGED, 'yes')
  remove(CHANGED)
}

// A browser that keeps nothing for this site throws: then there is nothing to keep in step.
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
