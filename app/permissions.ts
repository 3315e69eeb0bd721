import type { Topic } from './live/topics.ts'
import type { PushKind } from './push/push-kinds.ts'

/** Null for a guest. `member.administrator` runs the site. `member.admin` only means approval by the circle. */
export type Visitor = null | {
  accountId: string
  name: string
  email: string
  emailVerified: boolean
  /** A `resting` member receives no invitations to events and takes no spots. */
  member: null | { id: string; administrator: boolean; admin: boolean; resting?: boolean }
  staff: null | { id: string; role: 'editing' | 'administration' }
}

export function isAdministrator(visitor: Visitor) {
  return visitor?.member?.administrator === true || visitor?.staff?.role === 'administration'
}

export function isStaff(visitor: Visitor) {
  return isAdministrator(visitor) || visitor?.staff?.role === 'editing'
}

export const seesLogoutInNavigation = isAdministrator
export const mayManageMembers = isAdministrator
export const mayManageStaff = isAdministrator
/** Whether the visitor may edit the cards of all pages except the dishes. */
export const mayEditContent = isAdministrator
/** Whether the visitor may edit site settings and pages, and see hidden pages. */
export const mayEditSite = isAdministrator
export const mayReadInbox = isAdministrator
export const seesBackups = isAdministrator
/** Whether the visitor may download all data. The caller must also reauthenticate the visitor. */
export const mayTakeBackups = isAdministrator
/** Whether the visitor may create API tokens. The visitor's tokens are valid only while this is true. */
export const mayUseApiTokens = isAdministrator
/**
 * Whether the visitor may answer for members, add guests without an account and write to the circle. For this work, the
 * visitor sees the names and the RSVPs of the approved members.
 */
export const mayOrganiseEvents = isStaff
/** Whether the visitor may see and answer requests for tables, and enter bookings. */
export const mayManageBookings = isStaff

/** Whether the visitor may see a member's telephone number and other contact details, and edit the member. */
export function maySeeAndEditMember(visitor: Visitor, memberId: string) {
  return visitor?.member?.id === memberId || isAdministrator(visitor)
}

export type CalendarRule = { dishesAndCalendarByStaffOnly: boolean }

export function mayEditDishesAndCalendar(visitor: Visitor, site: CalendarRule) {
  if (isStaff(visitor)) return true
  return visitor?.member?.admin === true && !site.dishesAndCalendarByStaffOnly
}

export function refusedDishesAndCalendar(visitor: Visitor, site: CalendarRule) {
  if (site.dishesAndCalendarByStaffOnly)
    return `この操作はスタッフだけが行えます。${visitor ? '' : 'ログインしてください'}`
  return `この操作はスタッフと承認されたメンバーだけが行えます。${visitor ? nextStepToApproval(visitor) : 'ログインしてください'}`
}

export function nextStepToApproval({ member }: NonNullable<Visitor>) {
  if (!member) return 'メンバー情報を登録して、承認をお待ちください。'
  return member.admin === true ? '' : '承認をお待ちください。'
}

export function seesEditButtons(mayEdit: boolean, site: { showEditButtonsToVisitors: boolean }) {
  return mayEdit || site.showEditButtonsToVisitors
}

export function mayEditCollection(visitor: Visitor, collection: string, site: CalendarRule) {
  return collection === 'dining' ? mayEditDishesAndCalendar(visitor, site) : mayEditContent(visitor)
}

export function refusedCollection(visitor: Visitor, collection: string, site: CalendarRule) {
  return collection === 'dining' ? refusedDishesAndCalendar(visitor, site) : refusedAdministrators(visitor)
}

export function refusedAdministrators(visitor: Visitor) {
  return `この操作は管理者だけが行えます。${visitor ? '' : 'ログインしてください'}`
}

export function refusalOfAdministration(visitor: Visitor) {
  return mayManageMembers(visitor) ? null : refusedAdministrators(visitor)
}

export function refusalOfCalendar(visitor: Visitor, site: CalendarRule) {
  return mayEditDishesAndCalendar(visitor, site) ? null : refusedDishesAndCalendar(visitor, site)
}

function refusalOfStaffWork(visitor: Visitor) {
  return isStaff(visitor) ? null : `この操作は管理者とスタッフだけが行えます。${visitor ? '' : 'ログインしてください'}`
}

export const refusalOfOrganising = refusalOfStaffWork
export const refusalOfBookings = refusalOfStaffWork

export function refusalOfCollection(visitor: Visitor, collection: string, site: CalendarRule) {
  return mayEditCollection(visitor, collection, site) ? null : refusedCollection(visitor, collection, site)
}

export function mayUpload(visitor: Visitor, site: CalendarRule) {
  return mayEditContent(visitor) || mayEditDishesAndCalendar(visitor, site)
}

export function seesMembers(visitor: Visitor) {
  return visitor?.member?.admin === true || isAdministrator(visitor)
}

/** Whether the visitor may see an event. Staff see all events, because they edit the calendar. */
export function seesEvent(visitor: Visitor, { membersOnly }: { membersOnly: boolean }) {
  return !membersOnly || seesMembers(visitor) || isStaff(visitor)
}

export function mayRsvp(visitor: Visitor) {
  return maySubscribeToOwnFeed(visitor) && !isResting(visitor)
}

/** Whether the visitor has a calendar feed of their own. Resting members keep it. */
export function maySubscribeToOwnFeed(visitor: Visitor) {
  return seesMembers(visitor) && visitor?.member !== null
}

export function isResting(visitor: Visitor) {
  return visitor?.member?.resting === true
}

/** Whether the visitor may let this member rest or come back. */
export function mayRestOrResume(visitor: Visitor, memberId: string) {
  return (visitor?.member?.id === memberId && seesMembers(visitor)) || isAdministrator(visitor)
}

/** Whether the visitor may receive push notifications of a kind. */
export function mayBeNotified(visitor: Visitor, kind: PushKind) {
  switch (kind) {
    case 'inquiry':
      return mayReadInbox(visitor)
    case 'table':
      return mayManageBookings(visitor)
    case 'registration':
      return mayManageMembers(visitor)
    case 'withdrawal':
      return mayOrganiseEvents(visitor)
    default:
      return mayRsvp(visitor)
  }
}

export function maySubscribe(visitor: Visitor, topic: Topic) {
  if (topic === 'backups') return seesBackups(visitor)
  if (topic === 'messages') return mayReadInbox(visitor)
  return topic === 'members' || topic === 'answers' ? seesMembers(visitor) || mayOrganiseEvents(visitor) : true
}

export function refusalOfApiToken(scope: 'read' | 'write', method: string) {
  return scope === 'write' || method === 'GET' || method === 'HEAD'
    ? null
    : 'このトークンは読み取り専用です。変更には、書き込みもできるトークンが必要です。'
}

/** Whether the visitor's heading fonts are exempt from the rate limit, because editing requests many fonts. */
export function isExemptFromFontLimit(visitor: Visitor) {
  return seesMembers(visitor) || isStaff(visitor)
}
