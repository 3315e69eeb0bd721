import { useSyncExternalStore } from 'react'
import type { Undo } from './save-answer.ts'

/** What was done, told where its form is gone: at the foot of the screen, with the way to take it back. */
export type SiteNotice = {
  done: string
  undo?: Undo | undefined
  /** The path of the page that it is told on. */
  at: string
}

let told: SiteNotice | null = null
const listeners = new Set<() => void>()

/** Tells it, in the place of what was told before; null takes that away. */
export function tellSite(notice: SiteNotice | null) {
  told = notice
  for (const listener of listeners) listener()
}

/** What is told now. */
export function useSiteNotice() {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => told,
    () => null,
  )
}
