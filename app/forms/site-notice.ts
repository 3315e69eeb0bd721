import { sharedValue } from '../ui/shared-value.ts'
import type { Undo } from './save-answer.ts'

/** Toast that reports a success and offers an undo, for a form that has disappeared. */
export type SiteNotice = {
  done: string
  undo?: Undo | undefined
  /** Path of the page that shows the toast. */
  at: string
}

/** `tellSite` replaces the current toast; null removes the toast. */
export const { tell: tellSite, useValue: useSiteNotice } = sharedValue<SiteNotice | null>(null)

/** Hides the toast and its undo. The empty notice also overrides a toast from the page's URL. */
export function clearSiteNotice() {
  tellSite({ done: '', at: location.pathname })
}
