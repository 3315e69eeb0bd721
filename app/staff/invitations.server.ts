import type { Kysely, Transaction } from 'kysely'
import { lock } from '../../db/engine.ts'
import type { InvitationRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { hashToken, newToken } from '../accounts/mailed-links.server.ts'
import { isAdministrator, isStaff, mayManageStaff, type Visitor } from '../permissions.ts'
import { newSave } from '../records/record.ts'
import type { Author } from '../request.ts'
import { listAdministrators, readRoles } from '../settings/roles.server.ts'
import { addStaff } from './staff.server.ts'
import { lockStaffOf } from './staff-record.server.ts'
import type { Role } from './staff-words.ts'

export const INVITATION_LIFETIME_MS = 7 * 24 * 60 * 60_000

/**
 * Creates an invitation. Returns its token, which the database does not contain, or null if the visitor is no
 * administrator.
 */
export async function invite(
  db: Kysely<Tables>,
  visitor: Visitor,
  { name, role }: { name: string; role: Role },
  now: number,
) {
  if (!mayManageStaff(visitor) || !visitor) return null
  const token = newToken()
  const expiresAt = new Date(now + INVITATION_LIFETIME_MS).toISOString()
  const metadata = { invitedBy: visitor.accountId, createdAt: new Date(now).toISOString(), expiresAt }
  const invitation = { key: hashToken(token), name, role, ...metadata }
  await db.insertInto('invitations').values(invitation).execute()
  return { token, expiresAt }
}

export async function listInvitations(db: Kysely<Tables>, visitor: Visitor, now: number) {
  if (!mayManageStaff(visitor)) return []
  return db
    .selectFrom('invitations')
    .select(['key', 'name', 'role', 'createdAt', 'expiresAt'])
    .where('invitedBy', 'in', ['', ...(await listAdministrators(db))])
    .where('usedAt', 'is', null)
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', new Date(now).toISOString())
    .orderBy('createdAt', 'desc')
    .execute()
}

/**
 * Ends an invitation. Returns false if the invitation is already used or ended, or if the visitor is no administrator.
 */
export async function endInvitation(db: Kysely<Tables>, visitor: Visitor, key: string, at: string) {
  if (!mayManageStaff(visitor)) return false
  return inTransaction(db, async (trx) => {
    await lock(trx, lockNameOf(key))
    const ended = await trx
      .updateTable('invitations')
      .set({ endedAt: at })
      .where('key', '=', key)
      .where('usedAt', 'is', null)
      .where('endedAt', 'is', null)
      .returning('key')
      .executeTakeFirst()
    return ended !== undefined
  })
}

// The lock serializes use and withdrawal of an invitation, so one of two concurrent requests fails.
function lockNameOf(key: string) {
  return `invitation ${key}`
}

export type InvitationRejection = 'forged' | 'used' | 'used by oneself' | 'ended' | 'expired' | 'already'

type InvitationState = { state: 'open'; key: string; name: string; role: Role } | { state: InvitationRejection }

export async function findInvitation(db: Kysely<Tables>, visitor: Visitor, token: string, now: number) {
  return readState(db, await readInvitation(db, token), visitor, now)
}

/**
 * Accepts an invitation with the visitor's account. Returns the reason if the invitation cannot be accepted, otherwise
 * null.
 */
export async function acceptInvitation(
  db: Kysely<Tables>,
  visitor: NonNullable<Visitor>,
  { token, name }: { token: string; name: string },
  now: number,
): Promise<InvitationRejection | null> {
  return inTransaction(db, async (trx) => {
    const invitation = await lockInvitation(trx, visitor, token, now)
    if (invitation.state !== 'open') return invitation.state
    await applyInvitation(trx, invitation, { accountId: visitor.accountId, name }, now)
    return null
  })
}

/** Returns the state of an invitation, and locks the invitation until the transaction ends. */
export async function lockInvitation(trx: Transaction<Tables>, visitor: Visitor, token: string, now: number) {
  await lock(trx, lockNameOf(hashToken(token)))
  // The roles are read again, because another invitation may have changed them since the request began.
  if (visitor) await lockStaffOf(trx, visitor.accountId)
  const currentVisitor = visitor && { ...visitor, ...(await readRoles(trx, visitor.accountId)) }
  return readState(trx, await readInvitation(trx, token), currentVisitor, now)
}

export async function applyInvitation(
  trx: Transaction<Tables>,
  { key, role }: { key: string; role: Role },
  { accountId, name }: { accountId: string; name: string },
  now: number,
) {
  const at = new Date(now).toISOString()
  await addStaff(trx, { accountId, name, role }, newSave({ accountId, at } satisfies Author, 'accept'))
  await trx.updateTable('invitations').set({ usedBy: accountId, usedAt: at }).where('key', '=', key).execute()
}

async function readInvitation(db: Kysely<Tables>, token: string) {
  return db.selectFrom('invitations').selectAll().where('key', '=', hashToken(token)).executeTakeFirst()
}

async function readState(
  db: Kysely<Tables>,
  invitation: InvitationRow | undefined,
  visitor: Visitor,
  now: number,
): Promise<InvitationState> {
  if (!invitation) return { state: 'forged' }
  const { key, name, role, invitedBy, usedBy, usedAt, endedAt, expiresAt } = invitation
  if (usedAt !== null) return { state: usedBy === visitor?.accountId ? 'used by oneself' : 'used' }
  // An invitation is no longer valid when its author is no longer an administrator.
  if (endedAt !== null || !(await listAdministrators(db)).includes(invitedBy)) return { state: 'ended' }
  if (expiresAt <= new Date(now).toISOString()) return { state: 'expired' }
  // An invitation must never reduce the visitor's permissions.
  if (role === 'editing' ? isStaff(visitor) : isAdministrator(visitor)) return { state: 'already' }
  return { state: 'open', key, name, role }
}
