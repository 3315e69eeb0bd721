import { lock } from '../../db/engine.ts'
import type { Db, MemberRow, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { denied, type Outcome, Rejection } from '../forms/outcome.ts'
import { mayRestOrResume, refusalOfAdministration, type Visitor } from '../permissions.ts'
import { newSave } from '../records/record.ts'
import { change, lockRow, remove } from '../records/records.server.ts'
import { noteRecordChange } from '../records/revisions.server.ts'
import { markFirstAdministrator } from '../settings/roles.server.ts'
import { announceApproval, type MemberNotices } from './member-notices.server.ts'
import { lockMemberOf, memberRecord } from './member-record.server.ts'

const actions = {
  approve: () => ({ admin: true }),
  withdraw: () => ({ admin: false }),
  'make administrator': () => ({ administrator: true }),
  'unmake administrator': () => ({ administrator: false }),
  rest: () => ({ resting: true }),
  resume: () => ({ resting: false }),
  delete: (at: string) => ({ deletedAt: at }),
  restore: () => ({ deletedAt: null }),
} satisfies Record<string, (at: string) => Partial<MemberRow>>
export type MemberAction = keyof typeof actions

export function isMemberAction(text: string): text is MemberAction {
  return Object.hasOwn(actions, text)
}

export function refusalOfMemberAction(visitor: Visitor, id: string, action: string) {
  const isPermitted = ['rest', 'resume'].includes(action) && mayRestOrResume(visitor, id)
  return isPermitted ? null : refusalOfAdministration(visitor)
}

type MemberActionResult = { username: string; mail: 'sent' | 'unsent' | null; save: string | null }

/**
 * Applies an action to a member and notifies a newly approved member. `save` is null if nothing has changed. Throws a
 * `Rejection` if the visitor may not do so, or if a member without an account would become administrator. Throws
 * `AccountnameTaken` if a restored member's account name is taken, and `LastAdministrator` if no administrator would
 * remain.
 */
export async function manageMember(
  db: Db,
  visitor: Visitor,
  id: string,
  action: MemberAction,
  { at, around: notices, version }: { at: string; around: MemberNotices; version?: number },
): Promise<Outcome<MemberActionResult>> {
  const refusal = refusalOfMemberAction(visitor, id, action)
  if (refusal) throw denied(visitor, refusal)
  const save = newSave({ accountId: visitor?.accountId ?? null, at }, action)
  return inTransaction(db, async (trx): Promise<Outcome<MemberActionResult>> => {
    const current = await lockRow(trx, memberRecord, id)
    if (!current || (current.deletedAt !== null && action !== 'restore')) return { error: 'missing' }
    if (version !== undefined && version !== current.version) return { error: 'conflict' }
    // A member without an account cannot sign in, and so cannot administer the site.
    if (action === 'make administrator' && current.accountId === null)
      throw new Rejection('アカウントのない方は、管理者にできません。')
    const changes: Partial<MemberRow> = actions[action](at)
    const isUnchanged = Object.entries(changes).every(([name, value]) => current[name as keyof MemberRow] === value)
    const after = isUnchanged ? current : await change(trx, memberRecord, current, changes, save)
    const mail = await announceApproval(trx, current, after, notices)
    return { ok: { username: after.username, mail, save: isUnchanged ? null : save.id } }
  })
}

/** Whether an administrator has ever approved a member. If not, the list explains what an approval permits. */
export async function hasApprovedAnyone(db: Db) {
  const approval = await db
    .selectFrom('revisions')
    .select('id')
    .where('subject', '=', 'member')
    .where('action', '=', 'approve')
    .limit(1)
    .executeTakeFirst()
  return approval !== undefined
}

/**
 * Makes a member an approved administrator when the server operator requests it. Returns the member's name, or null if
 * the account has no member.
 */
export async function appointAdministrator(db: Db, accountId: string, at: string) {
  return inTransaction(db, async (trx) => {
    const current = await lockMemberOf(trx, accountId)
    if (!current || current.deletedAt !== null) return null
    await markFirstAdministrator(trx, at)
    const save = newSave({ accountId: null, at }, 'make administrator')
    if (!current.administrator || !current.admin)
      await change(trx, memberRecord, current, { administrator: true, admin: true }, save)
    return current.username
  })
}

/**
 * Erases the member of an account, including the history. Throws `LastAdministrator` if no administrator would remain.
 */
export async function eraseMember(db: Db, accountId: string, at: string) {
  await inTransaction(db, async (trx) => {
    const row = await lockMemberOf(trx, accountId)
    await trx.deleteFrom('memberDrafts').where('owner', '=', accountId).execute()
    if (!row) return
    if (row.deletedAt === null) await remove(trx, memberRecord, row, newSave({ accountId, at }, 'delete'))
    await noteErasedAnswers(trx, row.id, accountId)
    await trx.deleteFrom('members').where('id', '=', row.id).execute()
    await trx.deleteFrom('mutedMails').where('memberId', '=', row.id).execute()
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

// The erasure frees seats in the queues of these events. The locks make it wait for concurrent RSVPs to the
// events. They follow the lock on the administrators, as when an administrator deletes the member.
async function noteErasedAnswers(trx: Trx, memberId: string, accountId: string) {
  const answers = trx.selectFrom('answers').selectAll().where('memberId', '=', memberId).orderBy('eventId')
  for (const before of await answers.execute()) {
    await lock(trx, `event ${before.eventId}`)
    const subjectId = `${before.eventId}/${memberId}`
    noteRecordChange(trx, { subject: 'answer', subjectId, before, after: null, accountId })
  }
}
