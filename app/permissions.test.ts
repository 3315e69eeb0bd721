import { expect, test } from 'vitest'
import {
  mayAnswer,
  mayEditCollection,
  mayEditContent,
  mayEditDishesAndCalendar,
  mayEditMember,
  mayEditSite,
  mayManageMembers,
  mayRegister,
  mayUpload,
  refusedCollection,
  seesBackups,
  seesLogoutInNavigation,
  seesMembers,
  type Visitor,
} from './permissions.ts'

const someone = { accountId: 'a', name: '誰か', email: 'a@example.jp', emailVerified: true }
const member = (flags: { administrator: boolean; admin: boolean }): Visitor => ({
  ...someone,
  member: { id: 'own', ...flags },
})
const visitors = {
  guest: null,
  'signed in': { ...someone, member: null },
  applicant: member({ administrator: false, admin: false }),
  approved: member({ administrator: false, admin: true }),
  administrator: member({ administrator: true, admin: true }),
  'administrator who is not approved': member({ administrator: true, admin: false }),
} satisfies Record<string, Visitor>

type Rule = [name: string, rule: (visitor: Visitor) => boolean, ...expected: boolean[]]

const [yes, no] = [true, false]
const open = { dishesAndCalendarByAdministratorsOnly: false }
const closed = { dishesAndCalendarByAdministratorsOnly: true }
test.each<Rule>([
  //                                                                  guest, signed in, applicant, approved, administrator, not approved
  ['sees the logout in the navigation', seesLogoutInNavigation, no, no, no, no, yes, yes],
  ['may register', mayRegister, no, yes, yes, yes, yes, yes],
  ['may edit the own record', (visitor) => mayEditMember(visitor, 'own'), no, no, yes, yes, yes, yes],
  ['may edit another’s record', (visitor) => mayEditMember(visitor, 'other'), no, no, no, no, yes, yes],
  ['may manage members', mayManageMembers, no, no, no, no, yes, yes],
  ['may edit content', mayEditContent, no, no, no, no, yes, yes],
  ['may edit the dishes', (visitor) => mayEditCollection(visitor, 'dining', open), no, no, no, yes, yes, yes],
  ['may edit closed dishes', (visitor) => mayEditCollection(visitor, 'dining', closed), no, no, no, no, yes, yes],
  ['may edit other cards', (visitor) => mayEditCollection(visitor, 'home', open), no, no, no, no, yes, yes],
  ['may edit events and hours', (visitor) => mayEditDishesAndCalendar(visitor, open), no, no, no, yes, yes, yes],
  ['may upload pictures', (visitor) => mayUpload(visitor, open), no, no, no, yes, yes, yes],
  ['may upload where dishes are closed', (visitor) => mayUpload(visitor, closed), no, no, no, no, yes, yes],
  ['may edit the site', mayEditSite, no, no, no, no, yes, yes],
  ['sees the members', seesMembers, no, no, no, yes, yes, yes],
  ['answers events', mayAnswer, no, no, no, yes, yes, yes],
  ['sees how old the last backup is', seesBackups, no, no, no, no, yes, yes],
])('who %s', (_, rule, ...expected) => {
  expect(Object.values(visitors).map(rule)).toEqual(expected)
})

test('who may not is told who may', () => {
  expect(refusedCollection(null, 'dining', open)).toBe(
    'この操作は承認されたメンバーと管理者だけができます。ログインしてください',
  )
  expect(refusedCollection(null, 'dining', closed)).toBe('この操作は管理者だけができます。ログインしてください')
  expect(refusedCollection(visitors.approved, 'home', open)).toBe('この操作は管理者だけができます。')
})

test('only a strictly true flag counts', () => {
  for (const flag of ['true', 1, '1', {}, []]) {
    const visitor = { ...someone, member: { id: 'own', administrator: flag, admin: flag } } as unknown as Visitor
    const rules = [
      seesLogoutInNavigation,
      mayEditContent,
      mayEditSite,
      mayManageMembers,
      seesMembers,
      mayAnswer,
      seesBackups,
      (v: Visitor) => mayEditMember(v, 'other'),
      (v: Visitor) => mayEditCollection(v, 'dining', open),
      (v: Visitor) => mayUpload(v, open),
    ]
    for (const rule of rules) expect(rule(visitor), JSON.stringify(flag)).toBe(false)
  }
})
