import { sharedValue } from '../ui/shared-value.ts'
import type { NextLink, Undo } from './save-result.ts'

export type ToastContent = {
  done: string
  undo?: Undo | undefined
  next?: NextLink | undefined
  /** Path of the page that shows the toast. */
  at: string
}

export const { tell: showToast, useValue: useToast } = sharedValue<ToastContent | null>(null)

/** Hides the toast and its undo. The empty toast also overrides a toast from the page's URL. */
export function clearToast() {
  showToast({ done: '', at: location.pathname })
}

/** Removes the parameters with which a page without JavaScript receives its notice. */
export function urlWithoutNotice({ pathname, search, hash }: Pick<URL, 'pathname' | 'search' | 'hash'>) {
  const query = new URLSearchParams(search)
  query.delete('done')
  query.delete('undo')
  return `${pathname}${query.size > 0 ? `?${query}` : ''}${hash}`
}
