import { readFields } from '../forms/read-fields.ts'
import type { SaveAnswer } from '../forms/save-answer.ts'
import { tooManyTries } from '../platform/attempts.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { signUpForm } from './account-forms.ts'
import { countHere, countMailTo } from './around.server.ts'
import { isCommonPassword } from './common-password.server.ts'
import { commonPassword } from './password.ts'

type NewAccount = Record<'name' | 'email' | 'password', string>
type Read = { value: NewAccount; refusal?: undefined } | { value?: undefined; refusal: [status: number, SaveAnswer] }

export async function readNewAccount(context: RequestContext, form: FormData): Promise<Read> {
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
