import type { Kysely, Transaction } from 'kysely'
import { isConflict } from '../../db/conflict.ts'
import type { MemberRow, Tables } from '../../db/tables.ts'
import { mayEditMember, mayManageMembers, type Visitor } from '../permissions.ts'
import { merge } from '../records/merge.ts'
import { newSave } from '../records/record.ts'
import { add, change, lockThere } from '../records/records.server.ts'
import { readVersion } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import { once, type Sending } from '../saving/once.server.ts'
import { accountnameKey, type MemberField, type MemberFields, memberFieldNames } from './member.ts'
import { announceApproval, announceRegistration, type MemberNotices } from './member-notices.server.ts'
import { AccountnameTaken, LastAdministrator, lockMemberOf, memberRecord } from './member-record.server.ts'

/**
 * Who becomes the first administrator: the account that has proven `ownerEmail` to be its address, where one is named;
 * else whoever registers while nobody ever has, where mail is set up only with a proven address.
 */
export type FirstAdministrator = { ownerEmail: string | undefined; addressMustBeProven: boolean }

export type Registered =
  | { state: 'registered'; id: string; first: boolean }
  | { state: 'there already'; id: string }
  | { state: 'account name taken' }

/** Registers whoever is signed in; a record of theirs that lies in the bin is opened again, not approved. */
export async function registerMember(
  db: Kysely<Tables>,
  visitor: NonNullable<Visitor>,
  fields: MemberFields,
  { form, rules, around }: { form: Sending; rules: FirstAdministrator; around: MemberNotices },
): Promise<Registered> {
  const author = { accountId: visitor.accountId, at: form.at }
  return unlessTaken(db, visitor.accountId, () =>
    once<Registered>(db, form, async (trx) => {
      const earlier = await lockMemberOf(trx, visitor.accountId)
      if (earlier && earlier.deletedAt === null) return { state: 'there already', id: earlier.id }
      const first = await becomesFirstAdministrator(trx, visitor, rules, author)
      const flags = { administrator: first ? 1 : 0, admin: first ? 1 : 0 } as const
      const own = { ...fields, accountnameKey: accountnameKey(fields.accountname), ...flags }
      const row = earlier
        ? await change(trx, memberRecord, earlier, { ...own, deletedAt: null }, newSave(author, 'register again'))
        : await addMember(trx, { ...own, accountId: visitor.accountId, nonMemberId: null }, author)
      const provenAddress = visitor.emailVerified ? visitor.email : null
      await announceRegistration(trx, { id: row.id, first, username: row.username, provenAddress }, around)
      return { state: 'registered', id: row.id, first }
    }),
  )
}

/** Registers someone who has no account; only an administrator may: null for anyone else. */
export async function registerNonMember(
  db: Kysely<Tables>,
  visitor: Visitor,
  fields: MemberFields,
  { form, approved }: { form: Sending; approved: boolean },
): Promise<Registered | null> {
  if (!mayManageMembers(visitor)) return null
  const author = { accountId: visitor?.accountId ?? null, at: form.at }
  return unlessTaken(db, null, () =>
    once<Registered>(db, form, async (trx) => {
      const own = { ...fields, accountnameKey: accountnameKey(fields.accountname) }
      const nonMemberId = `nonMember-${crypto.randomUUID()}`
      const flags = { administrator: 0, admin: approved ? 1 : 0 } as const
      const { id } = await addMember(trx, { ...own, ...flags, accountId: null, nonMemberId }, author)
      return { state: 'registered', id, first: false }
    }),
  )
}

type NewMember = Omit<MemberRow, 'id' | 'version' | 'birthday' | 'realname' | 'createdAt' | 'updatedAt' | 'deletedAt'>

function addMember(trx: Transaction<Tables>, given: NewMember, author: Author) {
  const nobody = { id: crypto.randomUUID(), birthday: null, realname: null, createdAt: author.at, deletedAt: null }
  return add(trx, memberRecord, { ...given, ...nobody }, newSave(author, 'add'))
}

const FIRST = 'first administrator'

// The mark can be set once in the life of a database; of fifty in the same instant one sets it.
async function becomesFirstAdministrator(
  trx: Transaction<Tables>,
  visitor: NonNullable<Visitor>,
  { ownerEmail, addressMustBeProven }: FirstAdministrator,
  author: Author,
) {
  if ((addressMustBeProven || ownerEmail) && !visitor.emailVerified) return false
  const entitled = ownerEmail
    ? visitor.email.toLowerCase() === ownerEmail.toLowerCase()
    : !(await trx.selectFrom('members').select('id').limit(1).executeTakeFirst())
  return entitled && (await markFirstAdministrator(trx, author.at))
}

/** Takes the place of the first administrator; false where it was taken before. */
export async function markFirstAdministrator(trx: Transaction<Tables>, at: string) {
  const marked = await trx
    .insertInto('marks')
    .values({ name: FIRST, at })
    .onConflict((already) => already.column('name').doNothing())
    .returning('name')
    .executeTakeFirst()
  return marked !== undefined
}

/** Whether the site has had its first administrator; until then whoever registers first becomes one. */
export async function hasHadAdministrator(db: Kysely<Tables>) {
  const mark = await db.selectFrom('marks').select('name').where('name', '=', FIRST).executeTakeFirst()
  return mark !== undefined
}

// Two that arrive together both find the name free; then the index refuses the second.
async function unlessTaken(db: Kysely<Tables>, accountId: string | null, work: () => Promise<Registered>) {
  try {
    return await work()
  } catch (error) {
    if (!isConflict(error) && !(error instanceof AccountnameTaken)) throw error
    const own = await db
      .selectFrom('members')
      .select('id')
      .where('accountId', '=', accountId ?? '')
      .where('deletedAt', 'is', null)
      .executeTakeFirst()
    return own ? { state: 'there already' as const, id: own.id } : { state: 'account name taken' as const }
  }
}

export type Edited =
  | { state: 'saved'; id: string }
  | { state: 'account name taken' }
  | { state: 'last administrator' }
  | { state: 'newer version'; fields: MemberField[] }
  | { state: 'not there' }

/**
 * Saves what a member tells, and the flags where an administrator gives them. What others changed since `base` stays;
 * where both changed the same field, nothing is saved and the fields are named. Null for whoever may not edit it.
 */
export async function editMember(
  db: Kysely<Tables>,
  visitor: Visitor,
  id: string,
  given: { fields: MemberFields; flags: { administrator: boolean; admin: boolean } | null; base: number },
  { form, around }: { form: Sending; around: MemberNotices },
): Promise<Edited | null> {
  if (!mayEditMember(visitor, id)) return null
  const author = { accountId: visitor?.accountId ?? null, at: form.at }
  const flags = mayManageMembers(visitor) ? given.flags : null
  try {
    return await once<Edited>(db, form, async (trx) => {
      const now = await lockThere(trx, memberRecord, id)
      if (!now) return { state: 'not there' }
      const base = await versionOf(trx, now, given.base)
      const { changes, clashes } = merge<MemberFields>(base, now, given.fields)
      if (clashes.length > 0) return { state: 'newer version', fields: clashes as MemberField[] }
      const changed: Partial<MemberRow> = changes
      if (changes.accountname !== undefined) changed.accountnameKey = accountnameKey(changes.accountname)
      const gave = (flag: 'administrator' | 'admin') => flags && flags[flag] !== (base[flag] === 1)
      if (gave('admin')) changed.admin = flags?.admin ? 1 : 0
      if (gave('administrator') && now.accountId) changed.administrator = flags?.administrator ? 1 : 0
      const same = Object.entries(changed).every(([name, value]) => now[name as keyof MemberRow] === value)
      if (same) return { state: 'saved', id }
      await announceApproval(trx, now, await change(trx, memberRecord, now, changed, newSave(author, 'edit')), around)
      return { state: 'saved', id }
    })
  } catch (error) {
    if (isConflict(error) || error instanceof AccountnameTaken) return { state: 'account name taken' }
    if (error instanceof LastAdministrator) return { state: 'last administrator' }
    throw error
  }
}

type Version = MemberFields & Partial<Pick<MemberRow, 'administrator' | 'admin'>>

async function versionOf(trx: Transaction<Tables>, current: MemberRow, version: number): Promise<Version> {
  if (current.version === version) return current
  // Of a version that is not known nothing is known to be unchanged.
  return (await readVersion<MemberRow>(trx, { subject: 'member', subjectId: current.id, version })) ?? unknown
}

const unknown = Object.fromEntries(memberFieldNames.map((name) => [name, ''])) as MemberFields
