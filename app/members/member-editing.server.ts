import type { Kysely, Transaction } from 'kysely'
import { isConflict } from '../../db/conflict.ts'
import type { MemberRow, Tables } from '../../db/tables.ts'
import { once, type Sending } from '../forms/once.server.ts'
import { mayEditMember, mayManageMembers, type Visitor } from '../permissions.ts'
import { merge } from '../records/merge.ts'
import { versionSeen } from '../records/own-saves.server.ts'
import { newSave, type Seen } from '../records/record.ts'
import { change, lockThere } from '../records/records.server.ts'
import { readVersion } from '../records/revisions.server.ts'
import { LastAdministrator } from '../settings/roles.server.ts'
import { accountnameKey, type MemberField, type MemberFields, memberFieldNames } from './member.ts'
import { announceApproval, type MemberNotices } from './member-notices.server.ts'
import { AccountnameTaken, memberRecord } from './member-record.server.ts'

export type Edited =
  | { state: 'saved'; id: string; save: string | null }
  | { state: 'account name taken' }
  | { state: 'last administrator' }
  | { state: 'newer version'; fields: MemberField[] }
  | { state: 'not there' }

/**
 * Saves a member's fields, and the flags for an administrator. Merges with other changes since `base`; if both changed
 * the same field, nothing is saved and the field is returned. Returns null without permission.
 */
export async function editMember(
  db: Kysely<Tables>,
  visitor: Visitor,
  id: string,
  given: {
    fields: MemberFields
    flags: { administrator: boolean; admin: boolean } | null
    base: number
    own?: Seen['own']
  },
  { form, around }: { form: Sending; around: MemberNotices },
): Promise<Edited | null> {
  if (!mayEditMember(visitor, id)) return null
  const author = { accountId: visitor?.accountId ?? null, at: form.at }
  const flags = mayManageMembers(visitor) ? given.flags : null
  try {
    return await once<Edited>(db, form, async (trx) => {
      const now = await lockThere(trx, memberRecord, id)
      if (!now) return { state: 'not there' }
      const seen = { id, version: given.base, ...(given.own && { own: given.own }) }
      const base = await versionOf(trx, now, await versionSeen(trx, memberRecord, seen, author))
      const { changes, clashes } = merge<MemberFields>(base, now, given.fields)
      if (clashes.length > 0) return { state: 'newer version', fields: clashes as MemberField[] }
      const changed: Partial<MemberRow> = changes
      if (changes.accountname !== undefined) changed.accountnameKey = accountnameKey(changes.accountname)
      if (flags && flags.admin !== base.admin) changed.admin = flags.admin
      if (flags && flags.administrator !== base.administrator && now.accountId)
        changed.administrator = flags.administrator
      const same = Object.entries(changed).every(([name, value]) => now[name as keyof MemberRow] === value)
      if (same) return { state: 'saved', id, save: null }
      const save = newSave(author, 'edit')
      await announceApproval(trx, now, await change(trx, memberRecord, now, changed, save), around)
      return { state: 'saved', id, save: save.id }
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
  // Without the base version, every field counts as changed since.
  return (await readVersion<MemberRow>(trx, { subject: 'member', subjectId: current.id, version })) ?? unknown
}

const unknown = Object.fromEntries(memberFieldNames.map((name) => [name, ''])) as MemberFields
