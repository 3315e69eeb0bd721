import { expect, test } from 'vitest'
import {
  getsEveryFont,
  mayEditCollection,
  mayEditContent,
  mayEditDishesAndCalendar,
  mayEditMember,
  mayEditSite,
  mayManageMembers,
  mayManageStaff,
  mayReadInbox,
  mayRsvp,
  maySubscribe,
  mayTakeBackups,
  mayUpload,
  refusedAdministrators,
  refusedCollection,
  refusedDishesAndCalendar,
  seesBackups,
  seesEditButtons,
  seesLogoutInNavigation,
  seesMembers,
  type Visitor,
} from './permissions.ts'

const someone = { accountId: 'a', name: '誰か', email: 'a@example.jp', emailVerified: true }
const member = (flags: { administrator: boolean; admin: boolean }): Visitor => ({
  ...someone,
  member: { id: 'own', ...flags },
  staff: null,
})
const staff = (role: 'editing' | 'administration'): Visitor => ({ ...someone, member: null, staff: { id: 's', role } })
const visitors = {
  guest: null,
  'signed in': { ...someone, member: null, staff: null },
  applicant: member({ administrator: false, admin: false }),
  approved: member({ administrator: false, admin: true }),
  administrator: member({ administrator: true, admin: true }),
  'administrator who is not approved': member({ administrator: true, admin: false }),
  editor: staff('editing'),
  manager: staff('administration'),
} satisfies Record<string, Visitor>

type Rule = [name: string, rule: (visitor: Visitor) => boolean, ...expected: boolean[]]

const [yes, no] = [true, false]
const open = { dishesAndCalendarByStaffOnly: false }
const [hidden, shown] = [{ showEditButtonsToVisitors: false }, { showEditButtonsToVisitors: true }]
const closed = { dishesAndCalendarByStaffOnly: true }
test.each<Rule>([
  //                                                                  guest, signed in, applicant, approved, administrator, not approved, editor, manager
  ['sees the logout in the navigation', seesLogoutInNavigation, no, no, no, no, yes, yes, no, yes],
  ['may edit the own record', (visitor) => mayEditMember(visitor, 'own'), no, no, yes, yes, yes, yes, no, yes],
  ['may edit another’s record', (visitor) => mayEditMember(visitor, 'other'), no, no, no, no, yes, yes, no, yes],
  ['may manage members', mayManageMembers, no, no, no, no, yes, yes, no, yes],
  ['may edit content', mayEditContent, no, no, no, no, yes, yes, no, yes],
  ['may edit the dishes', (visitor) => mayEditCollection(visitor, 'dining', open), no, no, no, yes, yes, yes, yes, yes],
  [
    'may edit closed dishes',
    (visitor) => mayEditCollection(visitor, 'dining', closed),
    no,
    no,
    no,
    no,
    yes,
    yes,
    yes,
    yes,
  ],
  ['may edit other cards', (visitor) => mayEditCollection(visitor, 'home', open), no, no, no, no, yes, yes, no, yes],
  [
    'may edit events and hours',
    (visitor) => mayEditDishesAndCalendar(visitor, open),
    no,
    no,
    no,
    yes,
    yes,
    yes,
    yes,
    yes,
  ],
  ['may upload pictures', (visitor) => mayUpload(visitor, open), no, no, no, yes, yes, yes, yes, yes],
  ['may upload where dishes are closed', (visitor) => mayUpload(visitor, closed), no, no, no, no, yes, yes, yes, yes],
  ['may edit the site', mayEditSite, no, no, no, no, yes, yes, no, yes],
  [
    'sees the edit buttons',
    (visitor) => seesEditButtons(mayEditContent(visitor), hidden),
    no,
    no,
    no,
    no,
    yes,
    yes,
    no,
    yes,
  ],
  [
    'sees the edit buttons where all do',
    (visitor) => seesEditButtons(mayEditContent(visitor), shown),
    yes,
    yes,
    yes,
    yes,
    yes,
    yes,
    yes,
    yes,
  ],
  ['sees the members', seesMembers, no, no, no, yes, yes, yes, no, yes],
  ['answers events', mayRsvp, no, no, no, yes, yes, yes, no, no],
  ['gets every font', getsEveryFont, no, no, no, yes, yes, yes, yes, yes],
  ['hears of the members', (visitor) => maySubscribe(visitor, 'members'), no, no, no, yes, yes, yes, no, yes],
  ['hears of the answers', (visitor) => maySubscribe(visitor, 'answers'), no, no, no, yes, yes, yes, no, yes],
  ['hears of all else', (visitor) => maySubscribe(visitor, 'events'), yes, yes, yes, yes, yes, yes, yes, yes],
  ['manages the people of the shop', mayManageStaff, no, no, no, no, yes, yes, no, yes],
  ['reads the inbox', mayReadInbox, no, no, no, no, yes, yes, no, yes],
  ['sees how old the last backup is', seesBackups, no, no, no, no, yes, yes, no, yes],
  ['takes backups away', mayTakeBackups, no, no, no, no, yes, yes, no, yes],
  ['hears of the messages', (visitor) => maySubscribe(visitor, 'messages'), no, no, no, no, yes, yes, no, yes],
  ['hears of the backups', (visitor) => maySubscribe(visitor, 'backups'), no, no, no, no, yes, yes, no, yes],
])('who %s', (_, rule, ...expected) => {
  expect(Object.values(visitors).map(rule)).toEqual(expected)
})

test('who may not is told who may, and what they themselves can do about it', () => {
  const members = 'この操作はスタッフと承認されたメンバーだけが行えます。'
  const administrators = 'この操作は管理者だけが行えます。'
  const shop = 'この操作はスタッフだけが行えます。'
  const signIn = 'ログインしてください'
  expect(refusedCollection(null, 'dining', open)).toBe(members + signIn)
  expect(refusedCollection(visitors.applicant, 'dining', open)).toBe(`${members}承認をお待ちください。`)
  expect(refusedCollection(null, 'dining', closed)).toBe(shop + signIn)
  expect(refusedCollection(visitors.approved, 'home', open)).toBe(administrators)
  expect(refusedDishesAndCalendar(visitors['signed in'], open)).toBe(
    `${members}メンバー情報を登録して、承認をお待ちください。`,
  )
  expect(refusedDishesAndCalendar(visitors.approved, closed)).toBe(shop)
  expect(refusedAdministrators(null)).toBe(administrators + signIn)
  expect(refusedAdministrators(visitors['signed in'])).toBe(administrators)
})

test('only a strictly true flag counts', () => {
  for (const flag of ['true', 1, '1', {}, []]) {
    const visitor = {
      ...someone,
      member: { id: 'own', administrator: flag, admin: flag },
      staff: null,
    } as unknown as Visitor
    const rules = [
      seesLogoutInNavigation,
      mayEditContent,
      mayEditSite,
      mayManageMembers,
      seesMembers,
      mayRsvp,
      mayManageStaff,
      mayReadInbox,
      seesBackups,
      mayTakeBackups,
      (v: Visitor) => maySubscribe(v, 'members'),
      (v: Visitor) => mayEditMember(v, 'other'),
      (v: Visitor) => mayEditCollection(v, 'dining', open),
      (v: Visitor) => mayUpload(v, open),
    ]
    const hired = { ...someone, member: null, staff: { id: 's', role: flag } } as unknown as Visitor
    for (const rule of rules) for (const each of [visitor, hired]) expect(rule(each), JSON.stringify(flag)).toBe(false)
  }
})
