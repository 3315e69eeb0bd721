import type { Kysely, Transaction } from 'kysely'
import { isConflict } from '../../db/conflict.ts'
import type { MemberRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { mayManageMembers, type Visitor } from '../permissions.ts'
import { readRevision } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import { memberFieldNames } from './member.ts'
import { type Around, announceApproval } from './member-notices.server.ts'
import { LastAdministrator, NewerVersion, saveMember } from './members.server.ts'
import { markFirstAdministrator } from './registration.server.ts'

/** What an administrator does with a member, and what it changes. */
const deeds = {
  approve: () => ({ admin: 1 }),
  withdraw: () => ({ admin: 0 }),
  'make administrator': () => ({ administrator: 1 }),
  'unmake administrator': () => ({ administrator: 0 }),
  delete: (at: string) => ({ deletedAt: at }),
  restore: () => ({ deletedAt: null }),
} satisfies Record<string, (at: string) => Partial<MemberRow>>
export type Deed = keyof typeof deeds

export function isDeed(text: string): text is Deed {
  return Object.hasOwn(deeds, text)
}

export type Done =
  | { state: 'done'; username: string; mail: 'sent' | 'unsent' | null }
  | { state: 'no account' | 'last administrator' | 'account name taken' | 'newer version' | 'not there' }

/**
 * Does it, where the visitor is an administrator; null for anyone else. What is so already stays as it is; a `version` is
 * that of the record they have seen.
 */
export async function manageMember(
  db: Kysely<Tables>,
  visitor: Visitor,
  id: string,
  deed: Deed,
  {
    at,
    around,
    endSessions,
    version,
  }: { at: string; around: Around; endSessions: (accountId: string) => Promise<void>; version?: number },
): Promise<Done | null> {
  if (!mayManageMembers(visitor)) return null
  const author = { accountId: visitor?.accountId ?? null, at }
  const done = await doneOrWhyNot(db, around, (trx) => change(trx, id, deed, version, author))
  if (done.state !== 'done') return done
  if (deed === 'delete' && done.accountId) await endSessions(done.accountId)
  return { state: 'done', username: done.username, mail: done.mail }
}

type Changed = { before: MemberRow; after: MemberRow | null } | null

// What is done with a member by an administrator; who is approved by it is told.
async function doneOrWhyNot(db: Kysely<Tables>, around: Around, work: (trx: Transaction<Tables>) => Promise<Changed>) {
  try {
    return await inTransaction(db, async (trx) => {
      const changed = await work(trx)
      if (!changed) return { state: 'not there' as const }
      const { before, after } = changed
      if (!after) return { state: 'no account' as const }
      const mail = await announceApproval(trx, before, after, around)
      return { state: 'done' as const, username: after.username, accountId: after.accountId, mail }
    })
  } catch (error) {
    if (error instanceof LastAdministrator) return { state: 'last administrator' as const }
    if (error instanceof NewerVersion) return { state: 'newer version' as const }
    if (isConflict(error)) return { state: 'account name taken' as const }
    throw error
  }
}

async function change(trx: Transaction<Tables>, id: string, deed: Deed, version: number | undefined, author: Author) {
  const before = await trx.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirst()
  if (!before || (before.deletedAt !== null && deed !== 'restore')) return null
  if (version !== undefined && version !== before.version) throw new NewerVersion()
  // Someone without an account signs in nowhere and can run nothing.
  if (deed === 'make administrator' && before.accountId === null) return { before, after: null }
  const wanted: Partial<MemberRow> = deeds[deed](author.at)
  const same = Object.entries(wanted).every(([name, value]) => before[name as keyof MemberRow] === value)
  return { before, after: same ? before : await saveMember(trx, before, wanted, deed, author) }
}

/**
 * Makes what a member tells, and the flags, again what they were right after a revision, where the visitor is an
 * administrator; null for anyone else. Who they are and the private fields stay.
 */
export async function putBackMember(
  db: Kysely<Tables>,
  visitor: Visitor,
  { id, revisionId }: { id: string; revisionId: string },
  { at, around }: { at: string; around: Around },
): Promise<Done | null> {
  if (!mayManageMembers(visitor)) return null
  const author = { accountId: visitor?.accountId ?? null, at }
  const done = await doneOrWhyNot(db, around, async (trx) => {
    const then = (await readRevision(trx, 'member', revisionId))?.after as MemberRow | null | undefined
    const before = await trx
      .selectFrom('members')
      .selectAll()
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .executeTakeFirst()
    if (!before || then?.id !== id) return null
    const administrator = before.accountId === null ? 0 : then.administrator
    const own = Object.fromEntries(memberFieldNames.map((name) => [name, then[name]]))
    const wanted = { ...own, accountnameKey: then.accountnameKey, administrator, admin: then.admin }
    return { before, after: await saveMember(trx, before, wanted, 'put back', author) }
  })
  return done.state === 'done' ? { state: 'done', username: done.username, mail: done.mail } : done
}

/** Whether any administrator has approved anyone so far: the first is told what approval opens. */
export async function hasApprovedAnyone(db: Kysely<Tables>) {
  const approval = await db
    .selectFrom('revisions')
    .select('id')
    .where('subject', '=', 'member')
    .where('action', '=', 'approve')
    .limit(1)
    .executeTakeFirst()
  return approval !== undefined
}

/** Makes the member of an account an administrator, on the word of whoever runs the server; gives the name, or null. */
export async function appointAdministrator(db: Kysely<Tables>, accountId: string, at: string) {
  return inTransaction(db, async (trx) => {
    const before = await trx
      .selectFrom('members')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('deletedAt', 'is', null)
      .executeTakeFirst()
    if (!before) return null
    const change = { administrator: 1, admin: 1 } as const
    await markFirstAdministrator(trx, at)
    if (!before.administrator || !before.admin) {
      await saveMember(trx, before, change, 'make administrator', { accountId: null, at })
    }
    return before.username
  })
}

/**
 * Takes everything of an account's member out of the database, its history too. Throws LastAdministrator where nobody
 * would be left to run the site.
 */
export async function eraseMember(db: Kysely<Tables>, accountId: string, at: string) {
  await inTransaction(db, async (trx) => {
    const row = await trx.selectFrom('members').selectAll().where('accountId', '=', accountId).executeTakeFirst()
    await trx.deleteFrom('memberDrafts').where('owner', '=', accountId).execute()
    if (!row) return
    if (row.deletedAt === null) await saveMember(trx, row, { deletedAt: at }, 'delete', { accountId, at })
    await trx.deleteFrom('members').where('id', '=', row.id).execute()
    await trx.deleteFrom('memberDrafts').where('subject', '=', row.id).execute()
    await trx.deleteFrom('revisions').where('subject', '=', 'member').where('subjectId', '=', row.id).execute()
    await trx.deleteFrom('answers').where('memberId', '=', row.id).execute()
    await trx
      .deleteFrom('revisions')
      .where('subject', '=', 'answer')
      .where('subjectId', 'like', `%/${row.id}`)
      .execute()
  })
}
