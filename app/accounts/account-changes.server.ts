import type { z } from 'zod'
import type { Submission } from '../forms/form-action.server.ts'
import { denied, Rejection } from '../forms/outcome.ts'
import { parseFields } from '../forms/read-fields.ts'
import { mayUseApiTokens, refusedAdministrators } from '../permissions.ts'
import { isWithinTtl } from '../platform/is-within-ttl.ts'
import { contextOf, type RequestContext } from '../request.ts'
import {
  accountDepsOf,
  assertNoWait,
  countMailAttempt,
  countMailboxAttempt,
  countVisitorAttempt,
} from './account-deps.server.ts'
import { apiTokenForm, EmailChangeForm, passwordForm } from './account-forms.ts'
import * as accounts from './accounts.server.ts'
import { createApiToken } from './api-tokens.server.ts'
import { assertUncommon } from './common-password.server.ts'
import { changeAccountEmail, sendVerification } from './email-verification.server.ts'
import { checkPassword, isProofCurrent, passwordHashOf } from './password-proof.server.ts'
import type { Session } from './sessions.server.ts'
import { logSignInFailure } from './sign-in.server.ts'
import { signInErrors } from './sign-in-errors.ts'

const NO_PASSWORD = 'パスワードがありません。先に「パスワードの再設定」から設定してください。'
const wrongPasswordRejection = () => new Rejection({ errors: { current: ['現在のパスワードが正しくありません'] } }, 400)

export function staleSessionRejection() {
  return denied(null, 'パスワードかログインの状態が変わったため、変更していません。もう一度ログインしてください。')
}

export async function changePassword({ context, form, auth, live }: Submission, session: Session) {
  const { email, accountId } = session
  const { current, password } = parseFields(passwordForm(auth.passwords), form)
  await assertUncommon(password, email)
  const proof = await verifyCurrentPassword(context, accountId, current)
  const isChanged = proof.hash && (await accounts.changePassword(accountDepsOf(context), session, proof, password))
  if (!isChanged) throw wrongPasswordRejection()
  // Accepts an unverified e-mail address, because accounts from the setup key or an invitation may be unverified.
  const signInResult = await logSignInFailure(context, auth.signInUnproven(email, password))
  await auth.rememberDevice({ accountId, id: session.id })
  live.endStreamsOf(accountId)
  return {
    done:
      signInResult === 'signed in'
        ? 'パスワードを変更しました。ほかの端末はログアウトしました。'
        : 'パスワードを変更しました。すべての端末がログアウトしましたので、新しいパスワードでログインしてください。',
  }
}

export async function changeEmail({ context, form, auth }: Submission, session: Session) {
  const { accountId } = session
  const { email, current } = parseFields(EmailChangeForm, form)
  if (email === session.email) throw new Rejection({ errors: { email: ['現在のメールアドレスと同じです'] } }, 400)
  const proof = await verifyCurrentPassword(context, accountId, current)
  if (!proof.hash) throw new Rejection(NO_PASSWORD, 400)
  if (auth.verifies)
    assertNoWait(
      (await countVisitorAttempt(context, 'newAddress', accountId)) ?? (await countMailboxAttempt(context, email)),
    )
  const outcome = await changeAccountEmail(accountDepsOf(context), { id: accountId, email }, (trx) =>
    isProofCurrent(trx, session, proof),
  )
  if (outcome === 'refused') throw staleSessionRejection()
  if (outcome === 'taken') throw new Rejection({ errors: { email: ['このメールアドレスはすでに登録されています'] } })
  return {
    done:
      outcome === 'mailed'
        ? `${email} に確認のメールをお送りします。届いたら、メールのリンクを開いてボタンを押すと、アドレスが変わります。`
        : 'メールアドレスを変更しました。',
  }
}

export async function createOwnApiToken(submission: Submission, session: Session) {
  const { visitor, db, clock, log } = submission
  if (!mayUseApiTokens(visitor)) throw denied(visitor, refusedAdministrators(visitor))
  const { fields, proof } = await reauthenticate(submission, session, apiTokenForm)
  const token = await createApiToken(db, { session, proof, now: clock() }, fields)
  if (token === null) throw staleSessionRejection()
  log.info({ by: session.accountId, scope: fields.scope }, 'API token created')
  return { done: 'トークンを作りました。もう一度は表示されません。コピーして、安全な場所に保管してください。', token }
}

export async function resendOwnVerification({ context, auth }: Submission, { accountId, email }: Session) {
  if (!auth.verifies) throw new Rejection(signInErrors.noMail, 400)
  assertNoWait(await countMailAttempt(context, email))
  await sendVerification(accountDepsOf(context), { id: accountId, email })
  return { done: `${email} に確認のメールをお送りします。` }
}

const RECENT_SIGN_IN_MS = 10 * 60_000

/** Returns the proof of identity that a dangerous action requires. Without a password, a recent sign-in is the proof. */
export async function requiredProof(
  context: RequestContext,
  session: Session | null,
): Promise<'password' | 'none' | 'sign-in'> {
  const { db, clock } = contextOf(context)
  if (!session || (await passwordHashOf(db, session.accountId)) !== null) return 'password'
  return isWithinTtl(session.begunAt, RECENT_SIGN_IN_MS, clock()) ? 'none' : 'sign-in'
}

/** Checks the field `current` of a form. Throws a `Rejection` if a field or the proof of identity is invalid. */
export async function reauthenticate<Fields extends { current?: string | undefined }>(
  { context, form }: Submission,
  session: Session,
  formOf: (requiresPassword: boolean) => z.ZodType<Fields>,
) {
  const required = await requiredProof(context, session)
  const fields = parseFields(formOf(required === 'password'), form)
  // The page was loaded during the ten minutes, so it must load its data again to show the button of Google.
  if (required === 'sign-in') throw new Rejection({ trouble: SIGN_IN_REQUIRED, isOutdated: true }, 403)
  return { fields, proof: await verifyCurrentPassword(context, session.accountId, fields.current) }
}

const SIGN_IN_REQUIRED = 'ログインから時間がたっています。ご本人の確認のため、Googleでもう一度ログインしてください。'

export async function verifyCurrentPassword(context: RequestContext, accountId: string, current?: string) {
  assertNoWait(await countVisitorAttempt(context, 'password', accountId))
  const proof = await checkPassword(contextOf(context).db, accountId, current)
  if (!proof) throw wrongPasswordRejection()
  return proof
}
