import { expect, test } from 'vitest'
import {
  isExemptFromFontLimit,
  mayEditCollection,
  mayEditContent,
  mayEditDishesAndCalendar,
  mayEditSite,
  mayManageMembers,
  mayManageStaff,
  mayOrganiseEvents,
  mayReadInbox,
  mayRestOrResume,
  mayRsvp,
  maySeeAndEditMember,
  maySubscribe,
  mayTakeBackups,
  mayUpload,
  mayUseApiTokens,
  refusedAdministrators,
  refusedCollection,
  refusedDishesAndCalendar,
  seesBackups,
  seesEditButtons,
  seesLogoutInNavigation,
  seesMembers,
  type Visitor,
} from './permissions.ts'

const account = { accountId: 'a', name: '誰か', email: 'a@example.jp', emailVerified: true }
const member = (flags: { administrator: boolean; admin: boolean }): Visitor => ({
  ...account,
  member: { id: 'own', ...flags },
  staff: null,
})
const staff = (role: 'editing' | 'administration'): Visitor => ({ ...account, member: null, staff: { id: 's', role } })
const visitors = {
  guest: null,
  'signed in': { ...account, member: null, staff: null },
  applicant: member({ administrator: false, admin: false }),
  approved: member({ administrator: false, admin: true }),
  administrator: member({ administrator: true, admin: true }),
  'administrator who is not approved': member({ administrator: true, admin: false }),
  editor: staff('editing'),
  manager: staff('administration'),
} satisfies Record<string, Visitor>

type Rule = [name: string, rule: (visitor: Visitor) => boolean, ...expected: boolean[]]

const [yes, no] = [true, false]
const openToMembers = { dishesAndCalendarByStaffOnly: false }
const [buttonsHidden, buttonsShown] = [{ showEditButtonsToVisitors: false }, { showEditButtonsToVisitors: true }]
const reservedForStaff = { dishesAndCalendarByStaffOnly: true }
test.each<Rule>([
  //                                                                  guest, signed in, applicant, approved, administrator, not approved, editor, manager
  ['the logout link in the navigation', seesLogoutInNavigation, no, no, no, no, yes, yes, no, yes],
  ['editing the own record', (visitor) => maySeeAndEditMember(visitor, 'own'), no, no, yes, yes, yes, yes, no, yes],
  [
    'editing the record of another member',
    (visitor) => maySeeAndEditMember(visitor, 'other'),
    no,
    no,
    no,
    no,
    yes,
    yes,
    no,
    yes,
  ],
  ['resting as a member', (visitor) => mayRestOrResume(visitor, 'own'), no, no, no, yes, yes, yes, no, yes],
  ['letting another member rest', (visitor) => mayRestOrResume(visitor, 'other'), no, no, no, no, yes, yes, no, yes],
  ['managing members', mayManageMembers, no, no, no, no, yes, yes, no, yes],
  ['editing content', mayEditContent, no, no, no, no, yes, yes, no, yes],
  [
    'editing dishes',
    (visitor) => mayEditCollection(visitor, 'dining', openToMembers),
    no,
    no,
    no,
    yes,
    yes,
    yes,
    yes,
    yes,
  ],
  [
    'editing dishes that are reserved for staff',
    (visitor) => mayEditCollection(visitor, 'dining', reservedForStaff),
    no,
    no,
    no,
    no,
    yes,
    yes,
    yes,
    yes,
  ],
  [
    'editing other cards',
    (visitor) => mayEditCollection(visitor, 'home', openToMembers),
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
    'editing events and hours',
    (visitor) => mayEditDishesAndCalendar(visitor, openToMembers),
    no,
    no,
    no,
    yes,
    yes,
    yes,
    yes,
    yes,
  ],
  ['uploading images', (visitor) => mayUpload(visitor, openToMembers), no, no, no, yes, yes, yes, yes, yes],
  [
    'uploading images when dishes are reserved for staff',
    (visitor) => mayUpload(visitor, reservedForStaff),
    no,
    no,
    no,
    no,
    yes,
    yes,
    yes,
    yes,
  ],
  ['editing the site settings', mayEditSite, no, no, no, no, yes, yes, no, yes],
  [
    'edit buttons',
    (visitor) => seesEditButtons(mayEditContent(visitor), buttonsHidden),
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
    'edit buttons that all visitors see',
    (visitor) => seesEditButtons(mayEditContent(visitor), buttonsShown),
    yes,
    yes,
    yes,
    yes,
    yes,
    yes,
    yes,
    yes,
  ],
  ['the member list', seesMembers, no, no, no, yes, yes, yes, no, yes],
  ['RSVPs', mayRsvp, no, no, no, yes, yes, yes, no, no],
  ['unlimited heading fonts', isExemptFromFontLimit, no, no, no, yes, yes, yes, yes, yes],
  ['organising events', mayOrganiseEvents, no, no, no, no, yes, yes, yes, yes],
  ['live events about members', (visitor) => maySubscribe(visitor, 'members'), no, no, no, yes, yes, yes, yes, yes],
  ['live events about RSVPs', (visitor) => maySubscribe(visitor, 'answers'), no, no, no, yes, yes, yes, yes, yes],
  [
    'live events about other topics',
    (visitor) => maySubscribe(visitor, 'events'),
    yes,
    yes,
    yes,
    yes,
    yes,
    yes,
    yes,
    yes,
  ],
  ['managing staff', mayManageStaff, no, no, no, no, yes, yes, no, yes],
  ['the inbox', mayReadInbox, no, no, no, no, yes, yes, no, yes],
  ['the age of the last backup', seesBackups, no, no, no, no, yes, yes, no, yes],
  ['downloading backups', mayTakeBackups, no, no, no, no, yes, yes, no, yes],
  ['API tokens', mayUseApiTokens, no, no, no, no, yes, yes, no, yes],
  ['live events about messages', (visitor) => maySubscribe(visitor, 'messages'), no, no, no, no, yes, yes, no, yes],
  ['live events about backups', (visitor) => maySubscribe(visitor, 'backups'), no, no, no, no, yes, yes, no, yes],
])('permits %s to the expected visitors', (_, rule, ...expected) => {
  expect(Object.values(visitors).map(rule)).toEqual(expected)
})

test('a denied permission names the permitted users and the next step', () => {
  const members = 'この操作はスタッフと承認されたメンバーだけが行えます。'
  const administrators = 'この操作は管理者だけが行えます。'
  const shop = 'この操作はスタッフだけが行えます。'
  const signIn = 'ログインしてください'
  expect(refusedCollection(null, 'dining', openToMembers)).toBe(members + signIn)
  expect(refusedCollection(visitors.applicant, 'dining', openToMembers)).toBe(`${members}承認をお待ちください。`)
  expect(refusedCollection(visitors.approved, 'dining', openToMembers)).toBe(members)
  expect(refusedCollection(null, 'dining', reservedForStaff)).toBe(shop + signIn)
  expect(refusedCollection(visitors.approved, 'home', openToMembers)).toBe(administrators)
  expect(refusedDishesAndCalendar(visitors['signed in'], openToMembers)).toBe(
    `${members}メンバー情報を登録して、承認をお待ちください。`,
  )
  expect(refusedDishesAndCalendar(visitors.approved, reservedForStaff)).toBe(shop)
  expect(refusedAdministrators(null)).toBe(administrators + signIn)
  expect(refusedAdministrators(visitors['signed in'])).toBe(administrators)
})

test('a flag grants a permission only if the flag is strictly true', () => {
  for (const flag of ['true', 1, '1', {}, []]) {
    const visitor = {
      ...account,
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
      mayOrganiseEvents,
      mayManageStaff,
      mayReadInbox,
      (visitor: Visitor) => mayRestOrResume(visitor, 'other'),
      seesBackups,
      mayTakeBackups,
      (visitor: Visitor) => maySubscribe(visitor, 'members'),
      (visitor: Visitor) => maySeeAndEditMember(visitor, 'other'),
      (visitor: Visitor) => mayEditCollection(visitor, 'dining', openToMembers),
      (visitor: Visitor) => mayUpload(visitor, openToMembers),
    ]
    const staffVisitor = { ...account, member: null, staff: { id: 's', role: flag } } as unknown as Visitor
    for (const rule of rules)
      for (const each of [visitor, staffVisitor]) expect(rule(each), JSON.stringify(flag)).toBe(false)
  }
})
