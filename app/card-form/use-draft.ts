import { useEffect, useState } from 'react'
import { type CardDraft, type FormOf, forgetDraft, keepDraft, readDraft } from './card-drafts.ts'
import type { Values } from './card-values.ts'

type Typing = {
  start: Values
  typed: Values
  version: number
  mayEdit: boolean
  isSaved: boolean
}

/** Keeps what is typed in this browser with every change; what was left from another time is offered back. */
export function useDraft({ collection, id, accountId }: FormOf, { start, typed, version, mayEdit, isSaved }: Typing) {
  const [looked, setLooked] = useState(false)
  const [offer, setOffer] = useState<CardDraft | null>(null)

  useEffect(() => {
    if (!mayEdit) return
    let gone = false
    readDraft({ collection, id, accountId }).then((left) => {
      if (gone) return
      if (left && !same(left.values, start)) setOffer(left)
      setLooked(true)
    })
    return () => {
      gone = true
    }
  }, [collection, id, accountId, mayEdit, start])

  useEffect(() => {
    if (!looked || offer || isSaved) return
    if (same(typed, start)) forgetDraft({ collection, id, accountId })
    else keepDraft({ collection, id, accountId }, { version, values: typed })
  }, [collection, id, accountId, looked, offer, start, typed, version, isSaved])

  return {
    offer,
    /** What was left, to go on with. */
    resume() {
      setOffer(null)
      return offer
    },
    discard() {
      setOffer(null)
    },
  }
}

function same(some: Values, others: Values) {
  return Object.entries(others).every(([field, value]) => some[field as keyof Values] === value)
}
