import { type FormEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useRouteLoaderData } from 'react-router'
import { t } from '../languages/language.ts'
import type { Visitor } from '../permissions.ts'
import { announce } from '../ui/announce.ts'
import { accountDrafts, type Draft, type DraftStore, type Values } from './drafts.ts'
import { ownSaves, rememberSavesOf } from './own-saves.ts'
import type { Saving } from './use-save.ts'

type Options = {
  /** Form name and record ID. Null if the visitor may not edit the record. */
  name: string | null
  version?: number
  start: Values
  save: Saving
  intent?: string
  read?: (form: HTMLFormElement, start: Values) => Values
  /** Renders a stored draft in the form. Renders the record again if the draft is null. */
  onRestore?: (draft: Draft | null) => void
  discards?: boolean
  store?: DraftStore
}

export type FormDraft = ReturnType<typeof useDraft>

export const DRAFT_RESTORED = '前回の入力の続きを表示しています。'

/**
 * Manages the draft of a form. The draft is stored in this browser per account, restored when the form is opened again,
 * and removed after a save.
 */
export function useDraft(options: Options) {
  const { name, version = 0, start, save, intent, read = readValues, onRestore, discards = false } = options
  const { store = accountDrafts } = options
  const { stored, isLost, read: readStored, write, remove } = useStoredDraft(store, name)
  const [restored, setRestored] = useState<Draft | null>(null)
  const hasInput = useRef(false)
  const isEnabled = name !== null

  const restore = (draft: Draft | null) =>
    restoreFocusAfter(() => {
      setRestored(draft)
      onRestore?.(draft)
    })

  useEffect(() => {
    if (!isEnabled) return
    let isUnmounted = false
    readStored().then((draft) => {
      if (isUnmounted || !draft || stored.current || hasInput.current) return
      stored.current = draft
      if (discards || isSame(draft.values, start)) return remove()
      rememberSavesOf(draft)
      restore(draft)
      announce(t(DRAFT_RESTORED))
    })
    return () => {
      isUnmounted = true
    }
  }, [isEnabled])

  const { answer } = save
  useEffect(() => {
    if (intent !== undefined && answer?.intent !== intent) return
    if (answer?.done === undefined && answer?.to === undefined) return
    if (save.isTyped && stored.current) return storeValues(stored.current.values)
    remove()
    setRestored(null)
  }, [answer])

  const storeValues = (values: Values) => {
    if (isSame(values, start)) return remove()
    // The draft retains its initial version after a conflict, so that a restored draft causes the conflict again.
    void write({ version: stored.current?.version ?? version, own: ownSaves(), values, at: Date.now() })
  }

  return {
    restored,
    isLost,
    onInput({ currentTarget: form }: FormEvent<HTMLFormElement>) {
      hasInput.current = true
      // Reads the form after the render, because a new month may change the selected day.
      if (isEnabled) setTimeout(() => storeValues(read(form, start)))
    },
    remove,
    discard() {
      remove()
      restore(null)
    },
  }
}

function useStoredDraft(store: DraftStore, name: string | null) {
  const root = useRouteLoaderData('root') as { visitor: Visitor } | undefined
  // The key is set only once, because another account may sign in from another tab.
  const [key, setKey] = useState<string>()
  if (name !== null && key === undefined) setKey(`${name} ${root?.visitor?.accountId ?? ''}`)
  const stored = useRef<Draft>(undefined)
  const [isLost, setIsLost] = useState(false)
  return {
    stored,
    isLost,
    read: () => store.read(key ?? ''),
    async write(draft: Draft) {
      if (!key) return
      stored.current = draft
      setIsLost(!(await store.write(key, draft)))
    },
    remove() {
      if (key && stored.current) store.remove(key, stored.current)
      stored.current = undefined
      setIsLost(false)
    },
  }
}

const NOT_INPUT = ['hidden', 'password', 'file', 'submit', 'button']

function readValues(form: HTMLFormElement, start: Values): Values {
  const controls = [...form.elements] as HTMLInputElement[]
  const names = controls.filter(({ name, type }) => name in start || !NOT_INPUT.includes(type)).map(({ name }) => name)
  const formData = new FormData(form)
  return Object.fromEntries(names.filter(Boolean).map((name) => [name, String(formData.get(name) ?? '')]))
}

/** Whether the controls of the form show these values. */
export function isShownIn(form: HTMLFormElement, values: Values) {
  return isSame(readValues(form, values), values)
}

function isSame(values: Values, start: Values) {
  return Object.entries(values).every(([name, value]) => value === (start[name] ?? ''))
}

// A restore remounts the controls of the form, so the focus moves to the new control with the same name.
function restoreFocusAfter(change: () => void) {
  const focused = document.activeElement as HTMLInputElement | null
  const form = focused?.form
  flushSync(change)
  const control = focused?.name && !focused.isConnected && form?.elements.namedItem(focused.name)
  if (control instanceof HTMLElement) control.focus({ preventScroll: true })
}
