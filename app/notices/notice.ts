import { isShown } from '../sections/shown.ts'
import type { NoticeForm } from './notice-form.ts'

/** Labels of the pages that show a notice. */
export const places = {
  every: 'すべてのページ',
  home: 'ホーム',
  dining: 'お料理',
  calendar: 'カレンダー',
  circle: 'サークルのページ',
} as const
export type Place = keyof typeof places

const pagesOf: Record<Exclude<Place, 'every'>, readonly string[]> = {
  home: ['home'],
  dining: ['dining'],
  calendar: ['calendar'],
  circle: ['tennisrelated', 'memberlist'],
}

export type Notice = NoticeForm & { id: string; version: number; createdAt: string; updatedAt: string }

/** The parts of a notice that guests receive. */
export type GuestNotice = Pick<Notice, 'id' | 'text' | 'place' | 'link' | 'important'>

/** Sorts important notices first, then the newest first. */
export function compareNotices(a: Notice, b: Notice) {
  return Number(b.important) - Number(a.important) || b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id)
}

/** Whether guests see the notice at the time `now` in Japan on a page that `isVisible` permits. */
export function isNoticeShown(notice: Notice, now: string, isVisible: (page: string) => boolean) {
  return isShown(notice, now) && (notice.place === 'every' || pagesOf[notice.place].some(isVisible))
}

export function isOnPage({ place }: Pick<Notice, 'place'>, page: string) {
  return place === 'every' || pagesOf[place].includes(page)
}

/** Returns the URL of the form for a new notice with the given values. */
export function newNoticeUrl(values: Pick<NoticeForm, 'text' | 'shownFrom' | 'shownUntil'>) {
  return `/notices/new/add?${new URLSearchParams(values)}`
}
