import { type FormEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useRouteLoaderData } from 'react-router'
import type { Visitor } from '../permissions.ts'
import { announce } from '../ui/announce.ts'
import { accountDrafts, type Draft, type DraftStore, type Values } from './drafts.ts'
import { ownSaves, rememberSavesOf } from './own-saves.ts'
import type { Saving } from './use-save.ts'

type Options = {
  /** The form, with the ID of its record; null if its visitor may not edit. */
  name: string | null
  /** The version of the record that the form shows. */
  version?: number
  /** The values of the form without any input. */
  start: Values
  save: Saving
  /** The intent that saves the input, if `save` has several. */
  intent?: string
  /** Reads the values of the form, if they are not the text of its controls. */
  read?: (form: HTMLFormElement, start: Values) => Values
  /** Shows a stored draft in the form; null: shows the record again. */
  onRestore?: (draft: Draft | null) => void
  /** Whether a stored draft is removed, and not restored. */
  discards?: boolean
  store?: DraftStore
}

export type FormDraft = ReturnType<typeof useDraft>

export const RESTORED = '前回の入力の続きを表示しています。'

/**
 * Stores the input of a form in this browser with each change, for this account alone, and restores it when the form is
 * opened again; removes it once it is saved or discarded.
 */
export function useDraft(options: Options) {
  const { name, version = 0, start, save, intent, read = textOf, onRestore, discards = false } = options
  const { store = accountDrafts } = options
  const root = useRouteLoaderData('root') as { visitor: Visitor } | undefined
  // Set once: another account may sign in meanwhile in another tab, and did not type this.
  const key = useRef<string>(undefined)
  if (name !== null) key.current ??= `${name} ${root?.visitor?.accountId ?? ''}`
  const stored = useRef<Draft>(undefined)
  const [restored, setRestored] = useState<Draft | null>(null)
  const [isLost, setIsLost] = useState(false)
  const isEnabled = name !== null

  const remove = () => {
    if (key.current && stored.current) store.remove(key.current, stored.current)
    stored.current = undefined
    setIsLost(false)
  }
  const restore = (draft: Draft | null) =>
    keepingFocus(() => {
      setRestored(draft)
      onRestore?.(draft)
    })

  useEffect(() => {
    if (!isEnabled) return
    let isGone = false
    store.read(key.current ?? '').then((draft) => {
      if (isGone || !draft || stored.current) return
      stored.current = draft
      if (discards || isSame(draft.values, start)) return remove()
      rememberSavesOf(draft)
      restore(draft)
      announce(RESTORED)
    })
    return () => {
      isGone = true
    }
  }, [isEnabled])

  const { answer } = save
  useEffect(() => {
    if (intent !== undefined && answer?.intent !== intent) return
    if (answer?.done === undefined && answer?.to === undefined) return
    if (save.isTyped && stored.current) return void write(stored.current.values)
    remove()
    setRestored(null)
  }, [answer])

  const write = async (values: Values) => {
    if (!key.current) return
    if (isSame(values, start)) return remove()
    // After a conflict too, the version of its beginning: restored, the draft conflicts once more.
    stored.current = { version: stored.current?.version ?? version, own: ownSaves(), values, at: Date.now() }
    setIsLost(!(await store.write(key.current, stored.current)))
  }

  return {
    restored,
    /** Whether there is input that the browser could not store. */
    isLost,
    onInput({ currentTarget: form }: FormEvent<HTMLFormElement>) {
      // After the render: a chosen month may have changed the day.
      if (isEnabled) setTimeout(() => write(read(form, start)))
    },
    remove,
    /** Removes the draft, and shows the record. */
    discard() {
      remove()
      restore(null)
    },
  }
}

const NOT_INPUT = ['hidden', 'password', 'file', 'submit', 'button']

// The text of each control that a person fills in: '' for a box that is not ticked.
function textOf(form: HTMLFormElement, start: Values): Values {
  const controls = [...form.elements] as HTMLInputElement[]
  const names = controls.filter(({ name, type }) => name in start || !NOT_INPUT.includes(type)).map(({ name }) => name)
  const filled = new FormData(form)
  return Object.fromEntries(names.filter(Boolean).map((name) => [name, String(filled.get(name) ?? '')]))
}

function isSame(values: Values, start: Values) {
  return Object.entries(values).every(([name, value]) => value === (start[name] ?? ''))
}

// Restoring replaces the controls of the form.
function keepingFocus(change: () => void) {
  const focused = document.activeElement as HTMLInputElement | null
  const form = focused?.form
  flushSync(change)
  const control = focused?.name && !focused.isConnected && form?.elements.namedItem(focused.name)
  if (control instanceof HTMLElement) control.focus({ preventScroll: true })
}
