import type { NoticeRow } from '../../db/tables.ts'

export type Notice = Omit<NoticeRow, 'deletedAt'>
export type Place = Notice['place']

export type GuestNotice = Pick<Notice, 'id' | 'text' | 'place' | 'link' | 'important'>

export function compareNotices(a: Notice, b: Notice) {
  return Number(b.important) - Number(a.important) || b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id)
}

const circlePages = ['tennisrelated', 'memberlist']

export function isOnPage({ place }: Pick<Notice, 'place'>, page: string) {
  return place === 'every' || place === page || (place === 'circle' && circlePages.includes(page))
}
