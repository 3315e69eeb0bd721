import type { Db, MemberRow, Trx } from '../../db/tables.ts'
import { runOnce, type SubmissionKey } from '../forms/idempotency.server.ts'
import { denied } from '../forms/outcome.ts'
import { mayManageMembers, refusedAdministrators, type Visitor } from '../permissions.ts'
import { newSave } from '../records/record.ts'
import { add, change } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import { markFirstAdministrator } from '../settings/roles.server.ts'
import { accountnameKey, type MemberFields } from './member.ts'
import { announceRegistration, type MemberNotices } from './member-notices.server.ts'
import { lockMemberOf, memberRecord } from './member-record.server.ts'

/**
 * Rule for the first administrator. If `ownerEmail` is set, only the account with this verified e-mail address can
 * become first administrator. Otherwise the first account to register does. If the site sends e-mails, the first
 * account also needs a verified address.
 */
type FirstAdministrator = { ownerEmail: string | undefined; requiresVerifiedEmail: boolean }

/**
 * `first` is true if the member became the first administrator. `isNew` is false if the visitor was already a member.
 */
type RegistrationResult = { id: string; first: boolean; isNew: boolean }

/**
 * Registers the visitor. If the visitor's record is in the bin, restores the record without its approval. Throws
 * `AccountnameTaken` if another member has the account name.
 */
export async function registerMember(
  db: Db,
  visitor: NonNullable<Visitor>,
  fields: MemberFields,
  { form, rules, around: notices }: { form: SubmissionKey; rules: FirstAdministrator; around: MemberNotices },
): Promise<RegistrationResult> {
  const author = { accountId: visitor.accountId, at: form.at }
  return runOnce<RegistrationResult>(db, form, async (trx) => {
    const existingMember = await lockMemberOf(trx, visitor.accountId)
    if (existingMember && existingMember.deletedAt === null)
      return { id: existingMember.id, first: false, isNew: false }
    const first = await becomesFirstAdministrator(trx, visitor, rules, author)
    const key = accountnameKey(fields.accountname)
    const values = { ...fields, accountnameKey: key, administrator: first, admin: first }
    const restored = { ...values, resting: false, deletedAt: null }
    const row = existingMember
      ? await change(trx, memberRecord, existingMember, restored, newSave(author, 'register again'))
      : await addMember(trx, { ...values, accountId: visitor.accountId, nonMemberId: null }, author)
    await announceRegistration(trx, visitor, row, notices)
    return { id: row.id, first, isNew: true }
  })
}

/**
 * Registers a person who has no account. Throws a `Rejection` if the visitor is no administrator, or `AccountnameTaken`
 * if the account name is taken.
 */
export async function registerNonMember(
  db: Db,
  visitor: Visitor,
  fields: MemberFields,
  { form, approved }: { form: SubmissionKey; approved: boolean },
): Promise<RegistrationResult> {
  if (!mayManageMembers(visitor)) throw denied(visitor, refusedAdministrators(visitor))
  const author = { accountId: visitor?.accountId ?? null, at: form.at }
  return runOnce<RegistrationResult>(db, form, async (trx) => {
    const values = { ...fields, accountnameKey: accountnameKey(fields.accountname) }
    const nonMemberId = `nonMember-${crypto.randomUUID()}`
    const flags = { administrator: false, admin: approved }
    const { id } = await addMember(trx, { ...values, ...flags, accountId: null, nonMemberId }, author)
    return { id, first: false, isNew: true }
  })
}

type NewMember = Omit<
  MemberRow,
  'id' | 'version' | 'resting' | 'birthday' | 'realname' | 'createdAt' | 'updatedAt' | 'deletedAt'
>

function addMember(trx: Trx, values: NewMember, author: Author) {
  const systemColumns = {
    id: crypto.randomUUID(),
    resting: false,
    birthday: null,
    realname: null,
    createdAt: author.at,
    deletedAt: null,
  }
  return add(trx, memberRecord, { ...values, ...systemColumns }, newSave(author, 'add'))
}

// The database stores the first administrator only once, so only one of several concurrent requests succeeds.
async function becomesFirstAdministrator(
  trx: Trx,
  visitor: NonNullable<Visitor>,
  { ownerEmail, requiresVerifiedEmail }: FirstAdministrator,
  author: Author,
) {
  if ((requiresVerifiedEmail || ownerEmail) && !visitor.emailVerified) return false
  const isEntitled = ownerEmail
    ? visitor.email.toLowerCase() === ownerEmail.toLowerCase()
    : !(await trx.selectFrom('members').select('id').limit(1).executeTakeFirst())
  return isEntitled && (await markFirstAdministrator(trx, author.at))
}
