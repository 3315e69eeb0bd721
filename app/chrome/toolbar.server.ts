import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { countUnread } from '../contact/inbox.server.ts'
import type { Topic } from '../live/topics.ts'
import { countAwaitingApproval } from '../members/members.server.ts'
import type { PageName } from '../pages/page.ts'
import { hasCircle, isOpen, type KnownPage } from '../pages/pages.server.ts'
import {
  mayEditDishesAndCalendar,
  mayEditSite,
  mayManageMembers,
  mayManageStaff,
  mayReadInbox,
  mayTakeBackups,
  type Visitor,
} from '../permissions.ts'
import { contextOf, type RequestContext, readOr } from '../request.ts'
import type { SiteSettings } from '../settings/site.ts'

type Way = {
  label: string
  may: (visitor: Visitor, site: SiteSettings) => boolean
  /** Set if the owner can unpublish the linked page. */
  page?: PageName
  ofCircle?: true
  waiting?: Waiting
}
/** Count beside a link. Its changes are published as `topic`. */
type Waiting = {
  what: string
  unit: string
  count: (db: Kysely<Tables>, visitor: Visitor) => Promise<number>
  topic: Topic
}

const unread: Waiting = { what: '未読', unit: '件', count: countUnread, topic: 'messages' }
const awaiting: Waiting = { what: '承認待ち', unit: '名', count: countAwaitingApproval, topic: 'members' }

const onBar = {
  '/today': { label: '本日の営業', may: mayEditDishesAndCalendar },
  '/dining': { label: 'お料理', may: mayEditDishesAndCalendar, page: 'dining' },
  '/calendar': { label: 'カレンダー', may: mayEditDishesAndCalendar, page: 'calendar' },
  '/inbox': { label: '受信箱', may: mayReadInbox, waiting: unread },
  '/memberlist': { label: 'メンバー', may: mayManageMembers, ofCircle: true, waiting: awaiting },
} satisfies Record<string, Way>

const inMenu = {
  '/site': { label: 'お店の情報', may: mayEditSite },
  '/pages': { label: 'ページ', may: mayEditSite },
  '/staff': { label: 'スタッフ', may: mayManageStaff },
  '/bin': { label: 'ごみ箱', may: mayEditDishesAndCalendar },
  '/backup': { label: '控え', may: mayTakeBackups },
} satisfies Record<string, Way>

const MAX_SHOWN = 99

export type ToolbarData = NonNullable<Awaited<ReturnType<typeof readToolbar>>>

/** Returns null if the toolbar would be empty. */
export async function readToolbar(context: RequestContext, site: SiteSettings, pages: KnownPage[]) {
  const { visitor } = contextOf(context)
  const isTheirs = ({ may, page, ofCircle }: Way) =>
    may(visitor, site) && (!page || isOpen(pages, page, visitor)) && (!ofCircle || hasCircle(pages))
  const bar = Object.entries<Way>(onBar)
    .filter(([, way]) => isTheirs(way))
    .map(async ([to, { label, waiting }]) => ({
      to: to as keyof typeof onBar,
      label,
      ...(waiting && { topic: waiting.topic, mark: await markOf(context, waiting) }),
    }))
  const menu = Object.entries<Way>(inMenu)
    .filter(([, way]) => isTheirs(way))
    .map(([to, { label }]) => ({ to: to as keyof typeof inMenu, label }))
  return bar.length + menu.length > 0 ? { bar: await Promise.all(bar), menu } : null
}

async function markOf(context: RequestContext, { what, unit, count }: Waiting) {
  const number = await readOr(context, 0, () => count(contextOf(context).db, contextOf(context).visitor))
  if (number === 0) return null
  if (number > MAX_SHOWN) return { shown: `${MAX_SHOWN}+`, words: `${what}${MAX_SHOWN + 1}${unit}以上` }
  return { shown: `${number}`, words: `${what}${number}${unit}` }
}
