import { sharedValue } from '../ui/shared-value.ts'
import type { Undo } from './save-result.ts'

export type ToastContent = {
  done: string
  undo?: Undo | undefined
  /** Path of the page that shows the toast. */
  at: string
}

export const { tell: showToast, useValue: useToast } = sharedValue<ToastContent | null>(null)

/** Hides the toast and its undo. The empty notice also overrides a toast from the page's URL. */
export function clearToast() {
  showToast({ done: '', at: location.pathname })
}
