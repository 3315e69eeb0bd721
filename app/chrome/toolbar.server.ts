import type { Db } from '../../db/tables.ts'
import { listUnanswered } from '../bookings/bookings.server.ts'
import { countUnread } from '../contact/inbox.server.ts'
import type { Topic } from '../live/topics.ts'
import { countAwaitingApproval } from '../members/members.server.ts'
import type { PageName } from '../pages/page.ts'
import { hasCircle, isPageVisible, type KnownPage } from '../pages/pages.server.ts'
import {
  mayEditDishesAndCalendar,
  mayEditSite,
  mayManageBookings,
  mayManageMembers,
  mayManageStaff,
  mayReadInbox,
  mayTakeBackups,
  type Visitor,
} from '../permissions.ts'
import { contextOf, type RequestContext, readOr } from '../request.ts'
import type { SiteSettings } from '../settings/site.ts'

type ToolbarLink = {
  label: string
  isPermitted: (visitor: Visitor, site: SiteSettings) => boolean
  page?: PageName
  needsCircle?: true
  count?: LinkCount
}
type LinkCount = {
  label: string
  unit: string
  read: (db: Db, visitor: Visitor, now: number) => Promise<number>
  topic: Topic
}

const unreadMessages: LinkCount = { label: '未読', unit: '件', read: countUnread, topic: 'messages' }
const awaitingMembers: LinkCount = { label: '承認待ち', unit: '名', read: countAwaitingApproval, topic: 'members' }
const unansweredRequests: LinkCount = {
  label: 'お返事待ち',
  unit: '件',
  read: async (db, _, now) => (await listUnanswered(db, now)).length,
  topic: 'bookings',
}

const barLinks = {
  '/today': { label: '本日の営業', isPermitted: mayEditDishesAndCalendar },
  '/dining': { label: 'お料理', isPermitted: mayEditDishesAndCalendar, page: 'dining' },
  '/calendar': { label: 'カレンダー', isPermitted: mayEditDishesAndCalendar, page: 'calendar' },
  '/tables': {
    label: 'お席',
    isPermitted: (visitor, site) => site.takesTableRequests && mayManageBookings(visitor),
    count: unansweredRequests,
  },
  '/inbox': { label: '受信箱', isPermitted: mayReadInbox, count: unreadMessages },
  '/memberlist': { label: 'メンバー', isPermitted: mayManageMembers, needsCircle: true, count: awaitingMembers },
} satisfies Record<string, ToolbarLink>

const menuLinks = {
  '/notices': { label: 'お知らせ', isPermitted: mayEditDishesAndCalendar },
  '/site': { label: 'お店の情報', isPermitted: mayEditSite },
  '/pages': { label: 'ページ', isPermitted: mayEditSite },
  '/translations': {
    label: '英語の文章',
    isPermitted: (visitor, site) => site.otherLanguages && mayEditDishesAndCalendar(visitor, site),
  },
  '/staff': { label: 'スタッフ', isPermitted: mayManageStaff },
  '/bin': { label: 'ごみ箱', isPermitted: mayEditDishesAndCalendar },
  '/backup': { label: '控え', isPermitted: mayTakeBackups },
} satisfies Record<string, ToolbarLink>

const MAX_COUNT = 99

export type ToolbarData = NonNullable<Awaited<ReturnType<typeof readToolbar>>>

export async function readToolbar(context: RequestContext, site: SiteSettings, pages: KnownPage[]) {
  const { visitor } = contextOf(context)
  const isVisible = ({ isPermitted, page, needsCircle }: ToolbarLink) =>
    isPermitted(visitor, site) && (!page || isPageVisible(pages, page, visitor)) && (!needsCircle || hasCircle(pages))
  const bar = Object.entries<ToolbarLink>(barLinks)
    .filter(([, link]) => isVisible(link))
    .map(async ([to, { label, count }]) => ({
      to: to as keyof typeof barLinks,
      label,
      ...(count && { topic: count.topic, mark: await readBadge(context, count) }),
    }))
  const menu = Object.entries<ToolbarLink>(menuLinks)
    .filter(([, link]) => isVisible(link))
    .map(([to, { label }]) => ({ to: to as keyof typeof menuLinks, label }))
  return bar.length + menu.length > 0 ? { bar: await Promise.all(bar), menu } : null
}

async function readBadge(context: RequestContext, { label, unit, read }: LinkCount) {
  const { db, visitor, clock } = contextOf(context)
  const number = await readOr(context, 0, () => read(db, visitor, clock()))
  if (number === 0) return null
  if (number > MAX_COUNT) return { shown: `${MAX_COUNT}+`, words: `${label}${MAX_COUNT + 1}${unit}以上` }
  return { shown: `${number}`, words: `${label}${number}${unit}` }
}
