import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { Rejection } from '../forms/outcome.ts'
import { parseFields } from '../forms/read-fields.ts'
import { clearAttempts, countAttempt } from '../platform/attempts.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { assertNoWait, countMailboxAttempt, countVisitorAttempt } from './account-deps.server.ts'
import { EmailLoginForm, PASSKEY_REFUSED, signUpForm } from './account-forms.ts'
import { assertUncommon } from './common-password.server.ts'
import { parseCredential } from './passkeys.server.ts'
import { signInErrors } from './sign-in-errors.ts'

export async function readNewAccount(context: RequestContext, form: FormData) {
  const { passwords, verifies } = contextOf(context).auth
  const account = parseFields(signUpForm(passwords), form)
  const { email, password } = account
  await assertUncommon(password, email)
  assertNoWait(
    (await countVisitorAttempt(context, 'signUp', email)) ??
      (verifies ? await countMailboxAttempt(context, email) : null),
  )
  return account
}

/** Returns the result of a sign-in after a save. Logs its error and returns null, because the save has succeeded. */
export async function logSignInFailure<Outcome>(context: RequestContext, signIn: Promise<Outcome>) {
  return signIn.catch((error: unknown) => {
    contextOf(context).log.error({ err: error }, 'sign-in after save failed')
    return null
  })
}

export async function urlAfterSignIn(context: RequestContext, signIn: Promise<unknown>, to: string) {
  return (await logSignInFailure(context, signIn)) === null ? '/emaillogin?newaccount' : to
}

/**
 * Signs in with the e-mail form. Returns `isVerified` false, without signing in, if the password is right but the
 * e-mail address is unverified. Throws a `Rejection` for wrong credentials or too many attempts.
 */
export async function signInByForm(context: RequestContext, form: FormData) {
  const { email, password } = parseFields(EmailLoginForm, form)
  const { auth, db, clock } = contextOf(context)
  const attempt = { account: email, device: await auth.knownDevice(email), address: auth.address }
  assertNoWait(await countAttempt(db, 'signIn', { ...attempt, now: clock() }))

  const outcome = await auth.signIn(email, password)
  if (outcome === 'refused') throw new Rejection(signInErrors.refused, 401)
  await clearAttempts(db, 'signIn', attempt)
  return { email, isVerified: outcome === 'signed in' }
}

/** Signs in with the response of a passkey as JSON. Throws a `Rejection` for a failure or too many attempts. */
export async function signInByPasskey(context: RequestContext, text: string) {
  const { auth, db, clock } = contextOf(context)
  const response = parseCredential<AuthenticationResponseJSON>(text)
  const attempt = { account: response?.id ?? null, address: auth.address }
  assertNoWait(await countAttempt(db, 'signIn', { ...attempt, now: clock() }))
  if (!response || !(await auth.signInWithPasskey(response))) throw new Rejection(PASSKEY_REFUSED, 401)
  await clearAttempts(db, 'signIn', attempt)
}
