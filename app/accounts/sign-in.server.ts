import { readFields } from '../forms/read-fields.ts'
import type { SaveAnswer } from '../forms/save-answer.ts'
import { countAttempt, forgetAttempts, tooManyTries } from '../platform/attempts.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { EmailLoginForm, signUpForm } from './account-forms.ts'
import { countHere, countMailTo } from './around.server.ts'
import { isCommonPassword } from './common-password.server.ts'
import { commonPassword } from './password.ts'
import { signInProblems } from './sign-in-problems.ts'

/** Either the result or the response of a refused form. */
export type OrRefusal<T> =
  | (T & { refusal?: undefined })
  | ({ [name in keyof T]?: undefined } & { refusal: [status: number, SaveAnswer] })

type NewAccount = { value: Record<'name' | 'email' | 'password', string> }
type SignIn = { email: string; isVerified: boolean }

export async function readNewAccount(context: RequestContext, form: FormData): Promise<OrRefusal<NewAccount>> {
  const { passwords, verifies } = contextOf(context).auth
  const read = readFields(signUpForm(passwords), form)
  if (read.errors) return { refusal: [400, { errors: read.errors }] }
  const { email, password } = read.value
  if (isCommonPassword(password, email)) return { refusal: [400, { errors: { password: [commonPassword] } }] }
  const tries = await countHere(context, 'signUp', email)
  const wait = tries ?? (verifies ? await countMailTo(context, email) : null)
  if (wait) return { refusal: [429, { trouble: tooManyTries(wait) }] }
  return { value: read.value }
}

/** Returns the result of a sign-in after a save. Logs a failure and returns null, because the save itself succeeded. */
export async function orNotSignedIn<Outcome>(context: RequestContext, signIn: Promise<Outcome>) {
  return signIn.catch((error: unknown) => {
    contextOf(context).log.error({ err: error }, 'sign-in after save failed')
    return null
  })
}

/** Returns `to`, or the login form if the sign-in throws. */
export async function signedInTo(context: RequestContext, signIn: Promise<unknown>, to: string) {
  return (await orNotSignedIn(context, signIn)) === null ? '/emaillogin?newaccount' : to
}

/** Signs in by e-mail and password. If `isVerified` is false, the password was right, but the visitor is not signed in. */
export async function signInByForm(context: RequestContext, form: FormData): Promise<OrRefusal<SignIn>> {
  const read = readFields(EmailLoginForm, form)
  if (read.errors) return { refusal: [400, { errors: read.errors }] }
  const { email, password } = read.value
  const { auth, db, clock } = contextOf(context)
  const who = { account: email, device: await auth.knownDevice(email), address: auth.address }
  const wait = await countAttempt(db, 'signIn', { ...who, now: clock() })
  if (wait) return { refusal: [429, { trouble: tooManyTries(wait) }] }

  const outcome = await auth.signIn(email, password)
  if (outcome === 'refused') return { refusal: [401, { trouble: signInProblems.refused }] }
  await forgetAttempts(db, 'signIn', who)
  return { email, isVerified: outcome === 'signed in' }
}
