import { createHmac } from 'node:crypto'
import { lock } from '../../db/engine.ts'
import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { AccountDeps } from '../accounts/account-deps.server.ts'
import { addAccount } from '../accounts/accounts.server.ts'
import { catchTakenEmail, sendVerification } from '../accounts/email-verification.server.ts'
import { hashToken, newToken } from '../accounts/mailed-links.server.ts'
import { hashPassword } from '../accounts/password-hash.server.ts'
import { runOnce, type SubmissionKey } from '../forms/idempotency.server.ts'
import { isAdministrator, isStaff, type Visitor } from '../permissions.ts'
import { isWithinTtl } from '../platform/is-within-ttl.ts'
import { newSave } from '../records/record.ts'
import { listAdministrators, readRoles } from '../settings/roles.server.ts'
import { addStaff } from './staff.server.ts'
import type { Role } from './staff.ts'
import { lockStaffOf } from './staff-records.server.ts'

export const INVITATION_LIFETIME_MS = 7 * 24 * 60 * 60_000

/** Creates an invitation once per form. Returns its token, which the database does not contain. */
export async function invite(db: Db, fields: { name: string; role: Role }, form: SubmissionKey, secret: string) {
  const { owner, key, at } = form
  // A repeated form must return the same token. The token is derived from the key, because `runOnce` would store it.
  const payload = `invitation ${JSON.stringify([owner, key])}`
  const token = key ? createHmac('sha256', secret).update(payload).digest('base64url') : newToken()
  const expiresAt = new Date(Date.parse(at) + INVITATION_LIFETIME_MS).toISOString()
  const times = { createdAt: at, expiresAt }
  await runOnce(db, form, async (trx) => {
    const row = { key: hashToken(token), ...fields, invitedBy: owner, ...times }
    await trx.insertInto('invitations').values(row).execute()
  })
  return token
}

export async function listInvitations(db: Db, now: number) {
  const invitations = await db
    .selectFrom('invitations')
    .select(['key', 'name', 'role', 'createdAt', 'expiresAt'])
    .where('invitedBy', 'in', ['', ...(await listAdministrators(db))])
    .where('usedAt', 'is', null)
    .where('endedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .execute()
  return invitations.filter((invitation) => isCurrent(invitation, now))
}

function isCurrent({ createdAt }: { createdAt: string }, now: number) {
  return isWithinTtl(Date.parse(createdAt), INVITATION_LIFETIME_MS, now)
}

/** Ends an invitation. Returns false if the invitation is already used or ended. */
export async function endInvitation(db: Db, key: string, at: string) {
  return inTransaction(db, async (trx) => {
    await lockKey(trx, key)
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

// Serializes use and withdrawal of an invitation, so one of two concurrent requests fails.
const lockKey = (trx: Trx, key: string) => lock(trx, `invitation ${key}`)

export type InvitationRejection = 'forged' | 'used' | 'used by oneself' | 'ended' | 'expired' | 'already'

type InvitationState = { state: 'open'; key: string; name: string; role: Role } | { state: InvitationRejection }

export async function findInvitation(db: Db, visitor: Visitor, token: string, now: number): Promise<InvitationState> {
  const invitation = await db
    .selectFrom('invitations')
    .selectAll()
    .where('key', '=', hashToken(token))
    .executeTakeFirst()
  if (!invitation) return { state: 'forged' }
  const { key, name, role, invitedBy, usedBy, usedAt, endedAt } = invitation
  if (usedAt !== null) return { state: usedBy === visitor?.accountId ? 'used by oneself' : 'used' }
  // An invitation is no longer valid when its author is no longer an administrator.
  if (endedAt !== null || !(await listAdministrators(db)).includes(invitedBy)) return { state: 'ended' }
  if (!isCurrent(invitation, now)) return { state: 'expired' }
  // An invitation must never reduce the visitor's permissions.
  if (role === 'editing' ? isStaff(visitor) : isAdministrator(visitor)) return { state: 'already' }
  return { state: 'open', key, name, role }
}

/** Accepts an invitation with the visitor's account. Returns the reason if the invitation is invalid, otherwise null. */
export async function acceptInvitation(
  db: Db,
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

/**
 * Creates an account that accepts an invitation. Returns null if the account has been created, otherwise the reason. If
 * the site sends e-mails, the account can sign in again only after its e-mail address is verified.
 */
export async function signUpByInvitation(
  deps: AccountDeps,
  token: string,
  { name, email, password }: { name: string; email: string; password: string },
) {
  const { now } = deps
  const hash = await hashPassword(password)
  return catchTakenEmail<InvitationRejection | 'taken' | null>('taken', () =>
    inTransaction(deps.db, async (trx) => {
      const invitation = await lockInvitation(trx, null, token, now)
      if (invitation.state !== 'open') return invitation.state
      const id = await addAccount(trx, { name, email, hash }, new Date(now).toISOString())
      if (id === null) return 'taken'
      await applyInvitation(trx, invitation, { accountId: id, name }, now)
      if (deps.mailer.verifies) await sendVerification({ ...deps, db: trx }, { id, email })
      return null
    }),
  )
}

/** Returns the state of an invitation, and locks the invitation until the transaction ends. */
async function lockInvitation(trx: Trx, visitor: Visitor, token: string, now: number) {
  await lockKey(trx, hashToken(token))
  // The roles are read again, because another invitation may have changed them since the request began.
  if (visitor) await lockStaffOf(trx, visitor.accountId)
  const currentVisitor = visitor && { ...visitor, ...(await readRoles(trx, visitor.accountId)) }
  return findInvitation(trx, currentVisitor, token, now)
}

async function applyInvitation(
  trx: Trx,
  { key, role }: { key: string; role: Role },
  { accountId, name }: { accountId: string; name: string },
  now: number,
) {
  const at = new Date(now).toISOString()
  await addStaff(trx, { accountId, name, role }, newSave({ accountId, at }, 'accept'))
  await trx.updateTable('invitations').set({ usedBy: accountId, usedAt: at }).where('key', '=', key).execute()
}
