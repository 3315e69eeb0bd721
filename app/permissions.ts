import type { Topic } from './live/topics.ts'

/**
 * Who is asking: null is a guest; `member` is null until the person has registered with the circle, `staff` where they do
 * not work for the shop.
 */
export type Visitor = null | {
  accountId: string
  name: string
  email: string
  emailVerified: boolean
  member: null | { id: string; administrator: boolean; admin: boolean }
  staff: null | { id: string; role: 'editing' | 'administration' }
}

// Of a member, `administrator` runs the site; `admin` only means that the circle has approved them.

/** Runs the site: a member who is its administrator, strictly true, or someone of the shop who was invited to. */
export function isAdministrator(visitor: Visitor) {
  return visitor?.member?.administrator === true || visitor?.staff?.role === 'administration'
}

/** Works for the shop, by invitation or as its administrator. */
export function isOfTheShop(visitor: Visitor) {
  return isAdministrator(visitor) || visitor?.staff?.role === 'editing'
}

/** May sign out by the link in the navigation bar: administrators. */
export function seesLogoutInNavigation(visitor: Visitor) {
  return isAdministrator(visitor)
}

/** May see all of a member's record, the private fields too, and edit what the member tells: the person and administrators. */
export function mayEditMember(visitor: Visitor, memberId: string) {
  return visitor?.member?.id === memberId || isAdministrator(visitor)
}

/** Approves and withdraws, makes administrators, registers others, deletes and restores. */
export function mayManageMembers(visitor: Visitor) {
  return isAdministrator(visitor)
}

/** Invites people to the shop, gives them another role, ends them: administrators. */
export function mayManageStaff(visitor: Visitor) {
  return isAdministrator(visitor)
}

/** The switch of the site on which the rules of the calendar depend. */
export type CalendarRule = { dishesAndCalendarByStaffOnly: boolean }

/** Edits dishes, events, hours and special days: the shop's people and approved members, or the former alone. */
export function mayEditDishesAndCalendar(visitor: Visitor, site: CalendarRule) {
  if (isOfTheShop(visitor)) return true
  return visitor?.member?.admin === true && !site.dishesAndCalendarByStaffOnly
}

/** Why this visitor may not, in Japanese. */
export function refusedDishesAndCalendar(visitor: Visitor, site: CalendarRule) {
  if (site.dishesAndCalendarByStaffOnly)
    return `この操作はお店の方だけが行えます。${visitor ? '' : 'ログインしてください'}`
  return `この操作はお店の方と承認されたメンバーだけが行えます。${visitor ? untilApproved(visitor) : 'ログインしてください'}`
}

/** What someone who has signed in can do to become an approved member; nothing where they are one. */
export function untilApproved({ member }: NonNullable<Visitor>) {
  if (!member) return 'メンバー情報を登録して、承認をお待ちください。'
  return member.admin === true ? '' : '承認をお待ちください。'
}

/** Edits the cards of every page but the dishes: administrators. */
export function mayEditContent(visitor: Visitor) {
  return isAdministrator(visitor)
}

/** Sees the buttons by which something is edited: who may edit it, and everyone where the owner shows them to visitors. */
export function seesEditButtons(mayEdit: boolean, site: { showEditButtonsToVisitors: boolean }) {
  return mayEdit || site.showEditButtonsToVisitors
}

/** Edits the cards of this collection: dishes by their own rule. */
export function mayEditCollection(visitor: Visitor, collection: string, site: CalendarRule) {
  return collection === 'dining' ? mayEditDishesAndCalendar(visitor, site) : mayEditContent(visitor)
}

/** Why this visitor may not, in Japanese. */
export function refusedCollection(visitor: Visitor, collection: string, site: CalendarRule) {
  return collection === 'dining' ? refusedDishesAndCalendar(visitor, site) : refusedAdministrators(visitor)
}

/** Why this visitor may not what only administrators may, in Japanese. */
export function refusedAdministrators(visitor: Visitor) {
  return `この操作は管理者だけが行えます。${visitor ? '' : 'ログインしてください'}`
}

/** Why this visitor may not do what only administrators may: the members' records, the shop's facts and the pages; null where they may. */
export function refusalOfAdministration(visitor: Visitor) {
  return mayManageMembers(visitor) ? null : refusedAdministrators(visitor)
}

/** Returns why this visitor may not change events, hours and special days, in Japanese; null if they may. */
export function refusalOfCalendar(visitor: Visitor, site: CalendarRule) {
  return mayEditDishesAndCalendar(visitor, site) ? null : refusedDishesAndCalendar(visitor, site)
}

/** Returns why this visitor may not change the cards of this collection, in Japanese; null if they may. */
export function refusalOfCollection(visitor: Visitor, collection: string, site: CalendarRule) {
  return mayEditCollection(visitor, collection, site) ? null : refusedCollection(visitor, collection, site)
}

/** Uploads and removes pictures: whoever edits some collection. */
export function mayUpload(visitor: Visitor, site: CalendarRule) {
  return mayEditContent(visitor) || mayEditDishesAndCalendar(visitor, site)
}

/** Edits the shop's facts, the site's switches and what its pages are: administrators, who see hidden pages too. */
export function mayEditSite(visitor: Visitor) {
  return isAdministrator(visitor)
}

/** Sees the approved members: approved members and administrators. */
export function seesMembers(visitor: Visitor) {
  return visitor?.member?.admin === true || isAdministrator(visitor)
}

/** Answers the circle's events, as a member of it: approved members and administrators. Who sees the members sees who comes. */
export function mayAnswer(visitor: Visitor) {
  return seesMembers(visitor) && visitor?.member !== null
}

/** May be told that something under this topic has changed: who may see it. */
export function mayHear(visitor: Visitor, topic: Topic) {
  if (topic === 'backups') return seesBackups(visitor)
  if (topic === 'messages') return mayReadInbox(visitor)
  return topic === 'members' || topic === 'answers' ? seesMembers(visitor) : true
}

/** Reads what visitors write to the site, and answers: administrators. */
export function mayReadInbox(visitor: Visitor) {
  return isAdministrator(visitor)
}

/** Sees how old the last backup is, and when one last left the machine: administrators. */
export function seesBackups(visitor: Visitor) {
  return isAdministrator(visitor)
}

/** Takes all the data away in one file, having proven once more who they are: administrators. */
export function mayTakeBackups(visitor: Visitor) {
  return isAdministrator(visitor)
}

/** Gets a new heading font as often as editing asks for one: approved members and the shop's people. */
export function getsEveryFont(visitor: Visitor) {
  return seesMembers(visitor) || isOfTheShop(visitor)
}
