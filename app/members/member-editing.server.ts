import type { Db, MemberRow, Trx } from '../../db/tables.ts'
import { runOnce, type SubmissionKey } from '../forms/idempotency.server.ts'
import { denied, type Outcome } from '../forms/outcome.ts'
import { mayManageMembers, maySeeAndEditMember, refusedAdministrators, type Visitor } from '../permissions.ts'
import { merge } from '../records/merge.ts'
import { advanceSeenVersion } from '../records/own-saves.server.ts'
import { newSave, type RecordRef } from '../records/record.ts'
import { change, lockPresent } from '../records/records.server.ts'
import { readVersion } from '../records/revisions.server.ts'
import { accountnameKey, emptyMember, type MemberField, type MemberFields } from './member.ts'
import { announceApproval, type MemberNotices } from './member-notices.server.ts'
import { memberRecord } from './member-record.server.ts'

/**
 * The ID of the save, or null if nothing differed. A conflict has the fields that somebody else has changed as well, and
 * the current version.
 */
type EditResult = Outcome<string | null, { fields: MemberField[]; version: number }>

/**
 * Saves a member's fields and, if the author is an administrator, the flags. Merges with other changes since `base`. If
 * another change has the same field, saves nothing. Throws `AccountnameTaken`, `LastAdministrator`, or a `Rejection` if
 * the author has no permission.
 */
export async function editMember(
  db: Db,
  visitor: Visitor,
  id: string,
  input: {
    fields: MemberFields
    flags: { administrator: boolean; admin: boolean } | null
    base: number
    own?: RecordRef['own']
  },
  { form, around: notices }: { form: SubmissionKey; around: MemberNotices },
): Promise<EditResult> {
  if (!maySeeAndEditMember(visitor, id)) throw denied(visitor, refusedAdministrators(visitor))
  const author = { accountId: visitor?.accountId ?? null, at: form.at }
  const flags = mayManageMembers(visitor) ? input.flags : null
  return runOnce<EditResult>(db, form, async (trx) => {
    const current = await lockPresent(trx, memberRecord, id)
    if (!current) return { error: 'missing' }
    const seen = { id, version: input.base, ...(input.own && { own: input.own }) }
    const base = await readBase(trx, current, await advanceSeenVersion(trx, memberRecord, seen, author))
    const { changes, clashes } = merge<MemberFields>(base, current, input.fields)
    if (clashes.length > 0) return { error: 'conflict', fields: clashes as MemberField[], version: current.version }
    const columns: Partial<MemberRow> = changes
    if (changes.accountname !== undefined) columns.accountnameKey = accountnameKey(changes.accountname)
    if (flags && flags.admin !== base.admin) columns.admin = flags.admin
    if (flags && flags.administrator !== base.administrator && current.accountId)
      columns.administrator = flags.administrator
    const isUnchanged = Object.entries(columns).every(([name, value]) => current[name as keyof MemberRow] === value)
    if (isUnchanged) return { ok: null }
    const save = newSave(author, 'edit')
    await announceApproval(trx, current, await change(trx, memberRecord, current, columns, save), notices)
    return { ok: save.id }
  })
}

type Version = MemberFields & Partial<Pick<MemberRow, 'administrator' | 'admin'>>

async function readBase(trx: Trx, current: MemberRow, version: number): Promise<Version> {
  if (current.version === version) return current
  // If the base version is missing, every field counts as changed.
  return (await readVersion<MemberRow>(trx, { subject: 'member', subjectId: current.id, version })) ?? emptyMember
}
