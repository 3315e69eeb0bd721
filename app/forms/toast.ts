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

/** Texts by the `done` parameter of the URL, which carries the notice if the page works without JavaScript. */
export const doneTexts = {
  added: '追加しました。',
  saved: '保存しました。',
  unchanged: '変更はありませんでした。',
  merged: 'ほかの方の変更とあわせて保存しました。',
  deleted: '削除しました。',
  'put back': '選んだ時点の内容に戻しました。',
  hours: '営業時間を保存しました。',
}
