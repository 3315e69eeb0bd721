import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { inTransaction } from '../../db/transaction.ts'
import type { Submission } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { parseFields } from '../forms/read-fields.ts'
import { readSite } from '../settings/site.server.ts'
import { reauthenticate } from './account-changes.server.ts'
import { accountDepsOf, notifyVerifiedAccount } from './account-deps.server.ts'
import { MAX_PASSKEYS, newPasskeyForm, PasskeyNameForm } from './account-forms.ts'
import { passkeyAddedMail, passkeyRemovedMail } from './account-mails.ts'
import {
  CHALLENGE_TTL_MS,
  listPasskeys,
  loadWebAuthn,
  logRefusal,
  parseCredential,
  rpIdOf,
  storeChallenge,
  useChallenge,
  userHandleOf,
} from './passkeys.server.ts'
import { isProofCurrent, passwordHashOf } from './password-proof.server.ts'
import type { Session } from './sessions.server.ts'

// EdDSA, ES256 and RS256. The default includes ML-DSA, which Node calls experimental in a warning.
const ALGORITHMS = [-8, -7, -257]

const VERIFY_FIRST = '先にメールアドレスを確認してください。確認が済むと、パスキーを追加できます。'
const TOO_MANY = `パスキーは${MAX_PASSKEYS}個まで追加できます。使っていないパスキーを削除してから、もう一度お試しください。`
const REMOVED = 'このパスキーは、すでに削除されています。'

/** Returns the options with which the browser creates a passkey. */
export async function startOwnPasskey(submission: Submission, session: Session) {
  const { auth, db, origin, clock } = submission
  if (auth.verifies && !session.emailVerified) throw new Rejection(VERIFY_FIRST, 403)
  const { fields } = await reauthenticate(submission, session, newPasskeyForm)
  const { accountId, email } = session
  const passkeys = await listPasskeys(db, accountId)
  if (passkeys.length >= MAX_PASSKEYS) throw new Rejection(TOO_MANY)
  const { generateRegistrationOptions } = await loadWebAuthn()
  const options = await generateRegistrationOptions({
    rpName: (await readSite(db)).name,
    rpID: rpIdOf(origin),
    userID: new Uint8Array(userHandleOf(accountId)),
    userName: email,
    userDisplayName: session.name,
    timeout: CHALLENGE_TTL_MS,
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: passkeys.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await storeChallenge(db, `session ${session.id}`, { challenge: options.challenge, value: fields.name }, clock())
  return { passkey: options }
}

export async function addOwnPasskey({ context, db, field, origin, log }: Submission, session: Session) {
  const deps = accountDepsOf(context)
  const { accountId } = session
  const failure = new Rejection('パスキーを追加できませんでした。もう一度お試しください。', 400)
  const response = parseCredential<RegistrationResponseJSON>(field('response'))
  const used = response && (await useChallenge(db, `session ${session.id}`, response.response.clientDataJSON, deps.now))
  if (!used) throw failure
  const { verifyRegistrationResponse } = await loadWebAuthn()
  const verification = await verifyRegistrationResponse({
    response,
    expectedChallenge: used.challenge,
    expectedOrigin: origin,
    expectedRPID: rpIdOf(origin),
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(logRefusal(log))
  if (!verification?.verified) throw failure
  const { id, publicKey, counter } = verification.registrationInfo.credential
  await inTransaction(db, async (trx) => {
    // A new password ends the session, and so does signing out on another device.
    if (!(await isProofCurrent(trx, session, { hash: await passwordHashOf(trx, accountId) }))) throw failure
    const added = await trx
      .insertInto('passkeys')
      .values({
        ...{ id, accountId, name: used.value, counter, usedAt: null },
        publicKey: Buffer.from(publicKey).toString('base64url'),
        createdAt: new Date(deps.now).toISOString(),
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!added) throw failure
    await notifyVerifiedAccount({ ...deps, db: trx }, accountId, passkeyAddedMail(deps.origin))
  })
  log.info({ by: accountId }, 'passkey added')
  return { done: 'パスキーを追加しました。次からは、この端末のパスキーでもログインできます。' }
}

export async function renameOwnPasskey({ form, field, db }: Submission, { accountId }: Session) {
  const { name } = parseFields(PasskeyNameForm, form)
  const own = db.updateTable('passkeys').set({ name }).where('id', '=', field('passkey'))
  const renamed = await own.where('accountId', '=', accountId).returning('id').executeTakeFirst()
  if (!renamed) throw new Rejection(REMOVED, 404)
  return { done: '名前を変更しました。' }
}

export async function removeOwnPasskey({ context, db, field }: Submission, { accountId }: Session) {
  const deps = accountDepsOf(context)
  await inTransaction(db, async (trx) => {
    const own = trx.deleteFrom('passkeys').where('id', '=', field('passkey')).where('accountId', '=', accountId)
    if (!(await own.returning('id').executeTakeFirst()))
      throw new Rejection({ trouble: REMOVED, isOutdated: true }, 404)
    await notifyVerifiedAccount({ ...deps, db: trx }, accountId, passkeyRemovedMail(deps.origin))
  })
  return { done: 'パスキーを削除しました。端末に残っているものは、端末の設定から削除できます。' }
}
