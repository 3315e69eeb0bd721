import type { Db, MemberRow } from '../../db/tables.ts'
import {
  isStaff,
  mayManageMembers,
  mayRestOrResume,
  maySeeAndEditMember,
  seesMembers,
  type Visitor,
} from '../permissions.ts'
import { formatTelephones } from '../platform/telephone.server.ts'
import { parseState } from '../records/revisions.server.ts'
import type { ReadVerifiedEmails } from '../request.ts'
import { comparable } from '../ui/comparable.ts'
import { type MemberField, type MemberFields, memberFieldNames, sharedFields } from './member.ts'

/** A member as the visitor sees it. Only the member and the administrators see the contact details. */
export type SeenMember = Awaited<ReturnType<typeof listMembers>>['members'][number]

/**
 * Selects the members that the visitor may see: none, only the visitor, the approved members, or all. Excludes the bin.
 */
export function visibleMembers(db: Db, visitor: Visitor) {
  const members = db.selectFrom('members').where('deletedAt', 'is', null)
  if (mayManageMembers(visitor)) return members
  if (seesMembers(visitor)) return members.where('admin', '=', true)
  return members.where('id', '=', visitor?.member?.id ?? '')
}

/** Selects the approved members who are not in the bin. */
export function approvedMembers(db: Db) {
  return db
    .selectFrom('members')
    .where('deletedAt', 'is', null)
    .where((eb) => eb.or([eb('admin', '=', true), eb('administrator', '=', true)]))
}

/** Selects the members who take part in the circle: approved, not resting, and not in the bin. */
export function activeMembers(db: Db) {
  return approvedMembers(db).where('resting', '=', false)
}

export function isActiveMember({ admin, administrator, resting, deletedAt }: MemberRow) {
  return (admin || administrator) && !resting && deletedAt === null
}

const { compare } = new Intl.Collator('ja')

/** Sorts members by name. */
export function compareMembers(a: { id: string; username: string }, b: { id: string; username: string }) {
  return compare(a.username, b.username) || compare(a.id, b.id)
}

const PAGE_SIZE = 50

type ListOptions = { search: string; awaitingOnly: boolean; page: number; readVerifiedEmails: ReadVerifiedEmails }

/** Returns a page of the visible members, sorted by name. If the visitor may not approve members, `awaiting` is 0. */
export async function listMembers(
  db: Db,
  visitor: Visitor,
  { search, awaitingOnly, page, readVerifiedEmails }: ListOptions,
) {
  const names = await visibleMembers(db, visitor).select(['id', 'username', 'accountname', 'admin']).execute()
  const needle = comparable(search)
  const matches = names
    .filter(({ username, accountname }) => [username, accountname].some((name) => comparable(name).includes(needle)))
    .filter(({ admin }) => !awaitingOnly || !admin)
    .sort(compareMembers)
  const pages = Math.max(1, Math.ceil(matches.length / PAGE_SIZE))
  const pageNumber = Math.min(Math.max(1, page), pages)
  const ids = matches.slice((pageNumber - 1) * PAGE_SIZE, pageNumber * PAGE_SIZE).map(({ id }) => id)
  const rows = await visibleMembers(db, visitor)
    .select(['id', 'accountId', 'administrator', 'admin', 'resting', ...memberFieldNames])
    .where('id', 'in', ids.length > 0 ? ids : [''])
    .execute()
  const accountIds = rows.flatMap(({ accountId }) => accountId ?? [])
  const unnotified = mayManageMembers(visitor)
    ? await listUnnotified(db, rows, await readVerifiedEmails(accountIds))
    : []
  const members = rows.sort(compareMembers).map((row) => ({
    id: row.id,
    username: row.username,
    accountname: row.accountname,
    fields: pickFields({ ...row, telNum: formatTelephones(row.telNum) }, readVisibleFields(visitor, row.id)),
    own: visitor?.member?.id === row.id,
    resting: row.resting,
    /** Whether the visitor may let the member rest or come back. */
    mayRest: (row.admin || row.administrator) && mayRestOrResume(visitor, row.id),
    /** Null unless the visitor is an administrator. */
    managed: mayManageMembers(visitor)
      ? {
          administrator: row.administrator,
          approved: row.admin,
          hasAccount: row.accountId !== null,
          /** Whether an administrator has approved the member and no e-mail about the approval could be sent. */
          untold: unnotified.includes(row.id),
        }
      : null,
  }))
  return { members, count: matches.length, awaiting: await countAwaitingApproval(db, visitor), page: pageNumber, pages }
}

export async function countAwaitingApproval(db: Db, visitor: Visitor) {
  if (!mayManageMembers(visitor)) return 0
  const { count } = await visibleMembers(db, visitor)
    .select(db.fn.countAll<number>().as('count'))
    .where('admin', '=', false)
    .executeTakeFirstOrThrow()
  return count
}

type ApprovalRow = Pick<MemberRow, 'id' | 'accountId' | 'admin'>

// The first member, appointed administrators and imported members never count as unnotified. Their history has no
// approval.
async function listUnnotified(db: Db, rows: ApprovalRow[], verifiedEmails: Map<string, string>) {
  const unverified = rows.filter(({ admin, accountId }) => admin && accountId && !verifiedEmails.has(accountId))
  if (unverified.length === 0) return []
  const ids = unverified.map(({ id }) => id)
  const changes = await db
    .selectFrom('revisions')
    .select(['subjectId', 'before', 'after'])
    .where('subject', '=', 'member')
    .where('subjectId', 'in', ids)
    .where('before', 'is not', null)
    .where('accountId', 'is not', null)
    .execute()
  const isApproved = (state: string | null): boolean => parseState<MemberRow>(state)?.admin ?? false
  return changes
    .filter(({ before, after }) => !isApproved(before) && isApproved(after))
    .map(({ subjectId }) => subjectId)
}

export function readVisibleFields(visitor: Visitor, id: string): readonly MemberField[] {
  return maySeeAndEditMember(visitor, id) ? memberFieldNames : sharedFields
}

/** Returns a member with the private fields. Returns null unless the visitor is that member or an administrator. */
export async function readMember(db: Db, visitor: Visitor, id: string) {
  if (!maySeeAndEditMember(visitor, id)) return null
  const present = db.selectFrom('members').selectAll().where('deletedAt', 'is', null)
  const row = await present.where('id', '=', id).executeTakeFirst()
  return row ? { ...row, fields: pickFields(row, memberFieldNames) as MemberFields } : null
}

/** Returns the deleted members, newest first. Returns an empty list unless the visitor is an administrator. */
export async function listDeletedMembers(db: Db, visitor: Visitor) {
  if (!mayManageMembers(visitor)) return []
  const deleted = db.selectFrom('members').where('deletedAt', 'is not', null)
  return deleted.select(['id', 'username']).orderBy('deletedAt', 'desc').execute()
}

/**
 * Returns names by account ID. Only administrators see names from the bin. Only approved members and staff see the
 * names of staff.
 */
export async function namesOfAccounts(db: Db, visitor: Visitor, accountIds: string[]) {
  const members = mayManageMembers(visitor) ? db.selectFrom('members') : visibleMembers(db, visitor)
  const rows = await members
    .select(['accountId', 'username'])
    .where('accountId', 'in', ['', ...accountIds])
    .execute()
  const names = new Map(rows.flatMap(({ accountId, username }) => (accountId ? [[accountId, username]] : [])))
  if (!seesMembers(visitor) && !isStaff(visitor)) return names
  const staff = db.selectFrom('staff').select(['accountId', 'name'])
  for (const { accountId, name } of await staff.where('accountId', 'in', ['', ...accountIds]).execute())
    names.set(accountId, name)
  return names
}

function pickFields(row: MemberFields, names: readonly MemberField[]) {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Partial<MemberFields>
}
