import { sharedValue } from '../ui/shared-value.ts'
import type { Undo } from './save-answer.ts'

/** What was done, told where its form is gone: at the foot of the screen, with the way to take it back. */
export type SiteNotice = {
  done: string
  undo?: Undo | undefined
  /** The path of the page that it is told on. */
  at: string
}

/** Tells it, in the place of what was told before; null takes that away. */
export const { tell: tellSite, useValue: useSiteNotice } = sharedValue<SiteNotice | null>(null)

/** Takes the notice away with its undo, also the one that the page's URL names. */
export function clearSiteNotice() {
  tellSite({ done: '', at: location.pathname })
}
