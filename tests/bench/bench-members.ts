import { type MemberFields, memberFieldNames } from '../../app/members/member.ts'
import { asMilliseconds, figureAtMost, type Row } from './bench-figures.ts'
import { measurePage } from './bench-page-in-memory.ts'

const MEMBERS = 1000

/** Measures the response time of a member list page for an administrator, with a thousand members. */
export async function members(): Promise<Row[]> {
  const { median } = await measurePage('/memberlist?page=2', {
    visitor: {
      accountId: 'account-0',
      name: '',
      email: 'owner@example.jp',
      emailVerified: true,
      member: { id: 'member-0', administrator: true, admin: true },
      staff: null,
    },
    fill: async (db) => {
      for (let index = 0; index < MEMBERS; index += 1) await db.insertInto('members').values(memberOf(index)).execute()
    },
    note: async () => '',
  })
  return [
    { label: '/memberlist, 1,000 members', figures: [figureAtMost('median', median, 200, asMilliseconds)], notes: [] },
  ]
}

/** Returns the row of an approved member with made-up data. The first member is an administrator. */
export function memberOf(index: number) {
  const at = '2026-11-20T03:00:00.000Z'
  const fields = Object.fromEntries(memberFieldNames.map((name) => [name, '自己紹介'.repeat(20)])) as MemberFields
  const names = { username: `会員${(index * 7919) % MEMBERS}`, accountname: `か${index}`, accountnameKey: `か${index}` }
  const flags = { administrator: index === 0, admin: true, resting: false }
  const emptyFields = { nonMemberId: null, birthday: null, realname: null, deletedAt: null }
  const metadata = { version: 1, createdAt: at, updatedAt: at }
  return {
    id: `member-${index}`,
    accountId: `account-${index}`,
    ...fields,
    ...names,
    ...flags,
    ...emptyFields,
    ...metadata,
  }
}
