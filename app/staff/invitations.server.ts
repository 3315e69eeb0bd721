import type { Kysely, Transaction } from 'kysely'
import { lock } from '../../db/lock.ts'
import type { InvitationRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { keyOf, newToken } from '../accounts/mailed-links.server.ts'
import { isAdministrator, isOfTheShop, mayManageStaff, type Visitor } from '../permissions.ts'
import { newSave } from '../records/record.ts'
import type { Author } from '../request.ts'
import { administratorsOf, rolesOf } from '../settings/roles.server.ts'
import { addStaff } from './staff.server.ts'
import { lockStaffOf } from './staff-record.server.ts'
import type { Role } from './staff-words.ts'

/** For how long an invitation opens, in milliseconds. */
export const INVITATION_LASTS = 7 * 24 * 60 * 60_000

/** Makes an invitation, for an administrator; gives what its link carries, which is not kept. Null for anyone else. */
export async function invite(
  db: Kysely<Tables>,
  visitor: Visitor,
  { name, role }: { name: string; role: Role },
  now: number,
) {
  if (!mayManageStaff(visitor) || !visitor) return null
  const token = newToken()
  const expiresAt = new Date(now + INVITATION_LASTS).toISOString()
  const nobody = { usedBy: null, usedAt: null, endedAt: null }
  const made = { invitedBy: visitor.accountId, createdAt: new Date(now).toISOString(), expiresAt }
  await db
    .insertInto('invitations')
    .values({ key: keyOf(token), name, role, ...made, ...nobody })
    .execute()
  return { token, expiresAt }
}

/** The invitations that somebody can still open, the last one first, for administrators; none for anyone else. */
export async function listInvitations(db: Kysely<Tables>, visitor: Visitor, now: number) {
  if (!mayManageStaff(visitor)) return []
  return db
    .selectFrom('invitations')
    .select(['key', 'name', 'role', 'createdAt', 'expiresAt'])
    .where('invitedBy', 'in', ['', ...(await administratorsOf(db))])
    .where('usedAt', 'is', null)
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', new Date(now).toISOString())
    .orderBy('createdAt', 'desc')
    .execute()
}

/** Ends an invitation that nobody has opened, for an administrator. False where there is none any more. */
export async function endInvitation(db: Kysely<Tables>, visitor: Visitor, key: string, at: string) {
  if (!mayManageStaff(visitor)) return false
  return inTransaction(db, async (trx) => {
    await lock(trx, nameOf(key))
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

// Of who opens an invitation and who ends it in the same instant, one comes too late.
function nameOf(key: string) {
  return `invitation ${key}`
}

/** Why an invitation does not open, or not for this visitor. */
export type NotInvited = 'forged' | 'used' | 'used by oneself' | 'ended' | 'expired' | 'already'

type Invited = { state: 'open'; key: string; name: string; role: Role } | { state: NotInvited }

/** What the invitation with this token is to whoever opens it now. */
export async function findInvitation(db: Kysely<Tables>, visitor: Visitor, token: string, now: number) {
  return stateOf(db, await readInvitation(db, token), visitor, now)
}

/** Makes whoever is signed in one of the shop's people by an invitation, which opens once; null where it did. */
export async function acceptInvitation(
  db: Kysely<Tables>,
  visitor: NonNullable<Visitor>,
  { token, name }: { token: string; name: string },
  now: number,
): Promise<NotInvited | null> {
  return inTransaction(db, async (trx) => {
    const invited = await lockInvitation(trx, visitor, token, now)
    if (invited.state !== 'open') return invited.state
    await useInvitation(trx, invited, { accountId: visitor.accountId, name }, now)
    return null
  })
}

/** The invitation as of now, which nobody else opens or ends before the end of this transaction. */
export async function lockInvitation(trx: Transaction<Tables>, visitor: Visitor, token: string, now: number) {
  await lock(trx, nameOf(keyOf(token)))
  // What the account is, it may have become since the request came, and by another invitation until this one has its turn.
  if (visitor) await lockStaffOf(trx, visitor.accountId)
  const asked = visitor && { ...visitor, ...(await rolesOf(trx, visitor.accountId)) }
  return stateOf(trx, await readInvitation(trx, token), asked, now)
}

/** Uses an open invitation up, for this account. */
export async function useInvitation(
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
  return db.selectFrom('invitations').selectAll().where('key', '=', keyOf(token)).executeTakeFirst()
}

async function stateOf(
  db: Kysely<Tables>,
  invitation: InvitationRow | undefined,
  visitor: Visitor,
  now: number,
): Promise<Invited> {
  if (!invitation) return { state: 'forged' }
  const { key, name, role, invitedBy, usedBy, usedAt, endedAt, expiresAt } = invitation
  if (usedAt !== null) return { state: usedBy === visitor?.accountId ? 'used by oneself' : 'used' }
  // Who no longer runs the site invites nobody to it.
  if (endedAt !== null || !(await administratorsOf(db)).includes(invitedBy)) return { state: 'ended' }
  if (expiresAt <= new Date(now).toISOString()) return { state: 'expired' }
  // Nobody loses by an invitation what they may do already.
  if (role === 'editing' ? isOfTheShop(visitor) : isAdministrator(visitor)) return { state: 'already' }
  return { state: 'open', key, name, role }
}
