import { expect, test } from 'vitest'
import {
  mayAnswer,
  mayEditMember,
  mayEditSite,
  mayManageMembers,
  mayRegister,
  mayUpload,
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
const narrow = { dishesAndCalendarByAdministratorsOnly: true }
test.each<Rule>([
  //                                                                  guest, signed in, applicant, approved, administrator, not approved
  ['sees the logout in the navigation', seesLogoutInNavigation, no, no, no, no, yes, yes],
  ['may register', mayRegister, no, yes, yes, yes, yes, yes],
  ['may edit the own record', (visitor) => mayEditMember(visitor, 'own'), no, no, yes, yes, yes, yes],
  ['may edit another’s record', (visitor) => mayEditMember(visitor, 'other'), no, no, no, no, yes, yes],
  ['may manage members', mayManageMembers, no, no, no, no, yes, yes],
  ['may edit the site', mayEditSite, no, no, no, no, yes, yes],
  ['sees the members', seesMembers, no, no, no, yes, yes, yes],
  ['uploads pictures', (visitor) => mayUpload(visitor, open), no, no, no, yes, yes, yes],
  ['uploads where dishes are for administrators', (visitor) => mayUpload(visitor, narrow), no, no, no, no, yes, yes],
  ['answers events', mayAnswer, no, no, no, yes, yes, yes],
])('who %s', (_, rule, ...expected) => {
  expect(Object.values(visitors).map(rule)).toEqual(expected)
})

test('only a strictly true flag counts', () => {
  for (const flag of ['true', 1, '1', {}, []]) {
    const visitor = { ...someone, member: { id: 'own', administrator: flag, admin: flag } } as unknown as Visitor
    const rules = [
      seesLogoutInNavigation,
      mayEditSite,
      mayManageMembers,
      seesMembers,
      mayAnswer,
      (v: Visitor) => mayEditMember(v, 'other'),
    ]
    for (const rule of rules) expect(rule(visitor), JSON.stringify(flag)).toBe(false)
  }
})
