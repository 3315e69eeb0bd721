import { z } from 'zod'
import { checkbox, linkField, textField } from '../forms/form-rules.ts'
import { checkDisplay, displayRules } from '../sections/display-rules.ts'
import { isShown } from '../sections/shown.ts'

/** Labels of the pages that show a notice. */
export const places = {
  every: 'すべてのページ',
  home: 'ホーム',
  dining: 'お料理',
  calendar: 'カレンダー',
  circle: 'サークルのページ',
} as const
type Place = keyof typeof places

const pagesOf: Record<Exclude<Place, 'every'>, readonly string[]> = {
  home: ['home'],
  dining: ['dining'],
  calendar: ['calendar'],
  circle: ['tennisrelated', 'memberlist'],
}

export const MAX_TEXT = 500

const rules = {
  text: textField('お知らせの文', MAX_TEXT).min(1, 'お知らせの文を入力してください'),
  link: linkField,
  place: z.enum(Object.keys(places) as Place[], '表示するページを選んでください').default('every'),
  important: checkbox,
  ...displayRules,
}

export const noticeFieldNames = Object.keys(rules) as (keyof typeof rules)[]

/** Schema of the notice form. */
export const NoticeForm = z.object(rules).superRefine(checkDisplay)
export type NoticeForm = z.infer<typeof NoticeForm>

export type Notice = NoticeForm & { id: string; version: number; createdAt: string; updatedAt: string }

/** The parts of a notice that guests receive. Omits empty parts. */
export type GuestNotice = Pick<Notice, 'id' | 'text' | 'place'> & Partial<Pick<Notice, 'link' | 'important'>>

/** Returns the form values of a notice. A ticked checkbox is `on`. */
export function noticeFormValues(notice: NoticeForm): Record<string, string> {
  const values = Object.fromEntries(noticeFieldNames.map((name) => [name, String(notice[name])]))
  return { ...values, important: notice.important ? 'on' : '' }
}

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
