import { addAccount } from '../../app/accounts/accounts.server.ts'
import { hashPassword } from '../../app/accounts/password-hash.server.ts'
import { manageMember } from '../../app/members/administration.server.ts'
import { registerMember } from '../../app/members/registration.server.ts'
import type { Visitor } from '../../app/permissions.ts'
import { newSave } from '../../app/records/record.ts'
import { readRoles } from '../../app/settings/roles.server.ts'
import { addStaff } from '../../app/staff/staff.server.ts'
import type { Db } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import members from './demo-members.json' with { type: 'json' }

/** Person of the demo. `editor` and `manager` are staff but no members. `manager` is an administrator. */
export type Person = 'guest' | 'signedIn' | 'applicant' | 'approved' | 'administrator' | StaffPerson
type StaffPerson = 'editor' | 'manager'

type Account = Omit<NonNullable<Visitor>, 'member' | 'staff'>

export const demoAccounts = {
  signedIn: { accountId: 'demo-signed-in', name: '旅野 人', email: 'tabino@example.jp', emailVerified: true },
  applicant: { accountId: 'demo-applicant', name: '若葉 翔', email: 'wakaba@example.jp', emailVerified: true },
  approved: { accountId: 'demo-approved', name: '桜井 花', email: 'sakurai@example.jp', emailVerified: true },
  editor: { accountId: 'demo-editor', name: '土鍋 実', email: 'donabe@example.jp', emailVerified: true },
  manager: { accountId: 'demo-manager', name: '番頭 守', email: 'banto@example.jp', emailVerified: true },
  administrator: { accountId: 'demo-administrator', name: '暖簾 結', email: 'noren@example.jp', emailVerified: true },
} satisfies Record<Exclude<Person, 'guest'>, Account>

const noNotices = { notify: async () => {}, readVerifiedEmails: async () => new Map<string, string>(), origin: '' }

export async function registerPeople(db: Db, now: number): Promise<Record<Person, Visitor>> {
  const at = new Date(now).toISOString()
  for (const person of ['administrator', 'approved', 'applicant'] as const) {
    await registerMember(db, await visitorOf(db, demoAccounts[person]), members[person], {
      form: { owner: demoAccounts[person].accountId, form: 'member', key: '', at },
      rules: { ownerEmail: undefined, requiresVerifiedEmail: false },
      around: noNotices,
    })
  }
  const administrator = await visitorOf(db, demoAccounts.administrator)
  const { member } = await visitorOf(db, demoAccounts.approved)
  if (member) await manageMember(db, administrator, member.id, 'approve', { at, around: noNotices })
  const visitors = { guest: null } as Record<Person, Visitor>
  for (const person of Object.keys(demoAccounts) as (keyof typeof demoAccounts)[])
    visitors[person] = await visitorOf(db, demoAccounts[person])
  return visitors
}

export async function hireStaff(db: Db, now: number): Promise<Record<StaffPerson, Visitor>> {
  const at = new Date(now).toISOString()
  await inTransaction(db, async (trx) => {
    for (const [person, role] of [
      ['editor', 'editing'],
      ['manager', 'administration'],
    ] as const) {
      const { accountId, name } = demoAccounts[person]
      await addStaff(trx, { accountId, name, role }, newSave({ accountId: null, at }, 'add'))
    }
  })
  return { editor: await visitorOf(db, demoAccounts.editor), manager: await visitorOf(db, demoAccounts.manager) }
}

async function visitorOf(db: Db, account: Account) {
  return { ...account, ...(await readRoles(db, account.accountId)) }
}

export async function openAccounts(db: Db, password: string, now: number) {
  const hash = await hashPassword(password)
  for (const { accountId: id, name, email } of Object.values(demoAccounts)) {
    await addAccount(db, { id, name, email, hash }, new Date(now).toISOString())
  }
}
