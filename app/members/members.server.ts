import type { Kysely } from 'kysely'
import type { MemberRow, Tables } from '../../db/tables.ts'
import { isOfTheShop, mayEditMember, mayManageMembers, seesMembers, type Visitor } from '../permissions.ts'
import { formatTelephones } from '../platform/telephone.server.ts'
import type { ProvenAddresses } from '../request.ts'
import { comparable } from '../ui/comparable.ts'
import { type MemberField, type MemberFields, memberFieldNames, sharedFields } from './member.ts'

/** A member as someone else may see them; the contact details come to the person and to administrators alone. */
export type SeenMember = Pick<MemberRow, 'id' | 'username' | 'accountname'> & {
  fields: Partial<MemberFields>
  own: boolean
  /** For administrators. */
  managed: null | {
    version: number
    administrator: boolean
    approved: boolean
    hasAccount: boolean
    /** Whether an administrator approved them, and no mail could tell them so. */
    untold: boolean
  }
}

/** The rows that this visitor may know of: none, their own, the approved ones, or all; never those in the bin. */
export function membersVisibleTo(db: Kysely<Tables>, visitor: Visitor) {
  const members = db.selectFrom('members').where('deletedAt', 'is', null)
  if (mayManageMembers(visitor)) return members
  if (seesMembers(visitor)) return members.where('admin', '=', 1)
  return members.where('id', '=', visitor?.member?.id ?? '')
}

const byName = new Intl.Collator('ja')
const PAGE = 50

type Wanted = { search: string; awaitingOnly: boolean; page: number; provenAddresses: ProvenAddresses }

/**
 * A page of the members that this visitor may see, sorted by name: those whose names contain `search`, or who await
 * approval; an administrator also learns how many do.
 */
export async function listMembers(
  db: Kysely<Tables>,
  visitor: Visitor,
  { search, awaitingOnly, page, provenAddresses }: Wanted,
) {
  const names = await membersVisibleTo(db, visitor).select(['id', 'username', 'accountname', 'admin']).execute()
  const wanted = comparable(search)
  const found = names
    .filter(({ username, accountname }) => [username, accountname].some((name) => comparable(name).includes(wanted)))
    .filter(({ admin }) => !awaitingOnly || admin === 0)
    .sort((a, b) => byName.compare(a.username, b.username) || byName.compare(a.id, b.id))
  const pages = Math.max(1, Math.ceil(found.length / PAGE))
  const shown = Math.min(Math.max(1, page), pages)
  const ids = found.slice((shown - 1) * PAGE, shown * PAGE).map(({ id }) => id)
  const rows = await membersVisibleTo(db, visitor)
    .select(['id', 'version', 'accountId', 'administrator', 'admin', ...memberFieldNames])
    .where('id', 'in', ids.length > 0 ? ids : [''])
    .execute()
  const accountIds = rows.flatMap(({ accountId }) => accountId ?? [])
  const untold = mayManageMembers(visitor) ? await approvedUntold(db, rows, await provenAddresses(accountIds)) : []
  const place = new Map(ids.map((id, index) => [id, index]))
  const members = rows
    .sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0))
    .map((row) => seenBy(visitor, row, untold))
  return { members, count: found.length, awaiting: await countAwaiting(db, visitor), page: shown, pages }
}

/** How many await approval; 0 for whoever cannot give it. */
export async function countAwaiting(db: Kysely<Tables>, visitor: Visitor) {
  if (!mayManageMembers(visitor)) return 0
  const { count } = await membersVisibleTo(db, visitor)
    .select(db.fn.countAll<number>().as('count'))
    .where('admin', '=', 0)
    .executeTakeFirstOrThrow()
  return count
}

type Listed = Pick<MemberRow, 'id' | 'accountId' | 'admin'>

// Who was the first, was appointed or came from an older site was approved by nobody.
async function approvedUntold(db: Kysely<Tables>, rows: Listed[], proven: Map<string, string>) {
  const unproven = rows.filter(({ admin, accountId }) => admin === 1 && accountId && !proven.has(accountId))
  if (unproven.length === 0) return []
  const changes = await db
    .selectFrom('revisions')
    .select(['subjectId', 'before', 'after'])
    .where('subject', '=', 'member')
    .where('before', 'is not', null)
    .where('accountId', 'is not', null)
    .where(
      'subjectId',
      'in',
      unproven.map(({ id }) => id),
    )
    .execute()
  const approved = (state: string | null): boolean => (state ? JSON.parse(state).admin === 1 : false)
  return changes.filter(({ before, after }) => !approved(before) && approved(after)).map(({ subjectId }) => subjectId)
}

type ListedRow = Omit<
  MemberRow,
  'birthday' | 'realname' | 'nonMemberId' | 'accountnameKey' | 'createdAt' | 'updatedAt' | 'deletedAt'
>

function seenBy(visitor: Visitor, row: ListedRow, untold: string[]): SeenMember {
  const telNum = formatTelephones(row.telNum)
  return {
    id: row.id,
    username: row.username,
    accountname: row.accountname,
    fields: fieldsOfRow({ ...row, telNum }, fieldsSeenBy(visitor, row.id)),
    own: visitor?.member?.id === row.id,
    managed: mayManageMembers(visitor)
      ? {
          version: row.version,
          administrator: row.administrator === 1,
          approved: row.admin === 1,
          hasAccount: row.accountId !== null,
          untold: untold.includes(row.id),
        }
      : null,
  }
}

/** What this visitor may read of a member whom they may see. */
export function fieldsSeenBy(visitor: Visitor, id: string): readonly MemberField[] {
  return mayEditMember(visitor, id) ? memberFieldNames : sharedFields
}

/** One whole record, with its private fields, for the person and for administrators; null for everyone else. */
export async function readMember(db: Kysely<Tables>, visitor: Visitor, id: string) {
  if (!mayEditMember(visitor, id)) return null
  const row = await db
    .selectFrom('members')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  return {
    id,
    version: row.version,
    fields: fieldsOfRow(row, memberFieldNames) as MemberFields,
    administrator: row.administrator === 1,
    admin: row.admin === 1,
    hasAccount: row.accountId !== null,
    birthday: row.birthday,
    realname: row.realname,
  }
}

/** Those in the bin, since an instant or ever, the last thrown away first: names alone, for administrators. */
export async function listDeletedMembers(db: Kysely<Tables>, visitor: Visitor, since = '') {
  if (!mayManageMembers(visitor)) return []
  return db
    .selectFrom('members')
    .select(['id', 'username', 'accountname', 'deletedAt'])
    .where('deletedAt', '>=', since)
    .$narrowType<{ deletedAt: string }>()
    .orderBy('deletedAt', 'desc')
    .execute()
}

/**
 * What those who sign in by these accounts are called, as far as the visitor may know them: administrators know the binned
 * too, whoever edits something knows the shop's people.
 */
export async function namesOfAccounts(db: Kysely<Tables>, visitor: Visitor, accountIds: string[]) {
  const known = mayManageMembers(visitor) ? db.selectFrom('members') : membersVisibleTo(db, visitor)
  const rows = await known
    .select(['accountId', 'username'])
    .where('accountId', 'in', ['', ...accountIds])
    .execute()
  const names = new Map(rows.flatMap(({ accountId, username }) => (accountId ? [[accountId, username]] : [])))
  if (!seesMembers(visitor) && !isOfTheShop(visitor)) return names
  const staff = db.selectFrom('staff').select(['accountId', 'name'])
  for (const { accountId, name } of await staff.where('accountId', 'in', ['', ...accountIds]).execute())
    names.set(accountId, name)
  return names
}

function fieldsOfRow(row: MemberFields, names: readonly MemberField[]) {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Partial<MemberFields>
}
