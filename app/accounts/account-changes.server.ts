import { answered } from '../forms/answered.server.ts'
import { readFields } from '../forms/read-fields.ts'
import type { SaveAnswer } from '../forms/save-answer.ts'
import { tooManyTries } from '../platform/attempts.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { AddressForm, passwordForm } from './account-forms.ts'
import * as accounts from './accounts.server.ts'
import { changeAddress as change, sendVerification } from './addresses.server.ts'
import { aroundOf, countHere, countMail, countMailTo } from './around.server.ts'
import { isCommonPassword } from './common-password.server.ts'
import { commonPassword } from './password.ts'
import { type Proof, provePassword, stillHolds } from './proof.server.ts'
import type { Session } from './sessions.server.ts'
import { type OrRefusal, orNotSignedIn } from './sign-in.server.ts'
import { signInProblems } from './sign-in-problems.ts'

export type Sent = { form: FormData; request: Request; context: RequestContext }

const wrongPassword = '今のパスワードが正しくありません'
const noPassword = 'パスワードがありません。先に「パスワードの再設定」から決めてください。'
export const signInAgain =
  'パスワードかログインがたった今変わったため、何も変えていません。もう一度ログインしてください。'

/** Changes the visitor's own password and signs out all other devices. Failures return 400 or 429. */
export async function changePassword({ form, request, context }: Sent, session: Session) {
  const { email, accountId } = session
  const { auth } = contextOf(context)
  const answer = (status: number, said: SaveAnswer) => answered(request, { intent: 'password', ...said }, status)
  const read = readFields(passwordForm(auth.passwords), form)
  if (read.errors) return answer(400, { errors: read.errors })
  const { current, password } = read.value
  if (isCommonPassword(password, email)) return answer(400, { errors: { password: [commonPassword] } })
  const wait = await countHere(context, 'password', accountId)
  if (wait) return answer(429, { trouble: tooManyTries(wait) })
  if (!(await accounts.changePassword(aroundOf(context), session, { current, password }))) {
    return answer(400, { errors: { current: [wrongPassword] } })
  }
  // An account from the setup key or an invitation may not have a verified e-mail yet.
  const here = await orNotSignedIn(context, auth.signInUnproven(email, password))
  await auth.rememberDevice({ accountId, id: session.id })
  contextOf(context).live.endStreamsOf(accountId)
  return answer(200, {
    done:
      here === 'signed in'
        ? 'パスワードを変更しました。ほかの端末はログアウトしました。'
        : 'パスワードを変更しました。すべての端末がログアウトしましたので、新しいパスワードでログインしてください。',
  })
}

/** Changes the visitor's e-mail, or mails a link if the site verifies e-mails. Returns 409 if the e-mail is taken. */
export async function changeAddress({ form, request, context }: Sent, session: Session) {
  const values = { email: String(form.get('email') ?? '') }
  const answer = (status: number, said: SaveAnswer) => answered(request, { intent: 'email', values, ...said }, status)
  const read = readFields(AddressForm, form)
  if (read.errors) return answer(400, { errors: read.errors })
  const { email, current } = read.value
  if (email === session.email) return answer(400, { errors: { email: ['今のメールアドレスと同じです'] } })
  const { proof, refusal } = await askPassword(context, session.accountId, current)
  if (refusal) return answer(...refusal)
  if (!proof.hash) return answer(400, { trouble: noPassword })
  const mails = contextOf(context).auth.verifies ? await countNewAddress(context, session.accountId, email) : null
  if (mails) return answer(429, { trouble: tooManyTries(mails) })
  const outcome = await change(aroundOf(context), { id: session.accountId, email }, (trx) =>
    stillHolds(trx, session, proof),
  )
  if (outcome === 'refused') return answer(401, { trouble: signInAgain, signIn: true })
  if (outcome === 'taken') return answer(409, { errors: { email: ['このメールアドレスはすでに登録されています'] } })
  return answer(200, {
    values: {},
    done:
      outcome === 'mailed'
        ? `${email} に確認のメールをお送りします。届いたら、メールのリンクを開いてボタンを押すと、アドレスが変わります。`
        : 'メールアドレスを変更しました。',
  })
}

/** Resends the verification e-mail. Returns 429 after too many requests, 400 if the site sends no mail. */
export async function verifyAgain({ request, context }: Sent, { accountId, email }: Session) {
  const answer = (status: number, said: SaveAnswer) => answered(request, { intent: 'verify', ...said }, status)
  if (!contextOf(context).auth.verifies) return answer(400, { trouble: signInProblems.noMail })
  const wait = await countMail(context, email)
  if (wait) return answer(429, { trouble: tooManyTries(wait) })
  await sendVerification(aroundOf(context), { id: accountId, email })
  return answer(200, { done: `${email} に確認のメールをお送りします。` })
}

async function countNewAddress(context: RequestContext, accountId: string, email: string) {
  return (await countHere(context, 'newAddress', accountId)) ?? countMailTo(context, email)
}

export async function askPassword(
  context: RequestContext,
  accountId: string,
  current?: string,
): Promise<OrRefusal<{ proof: Proof }>> {
  const wait = await countHere(context, 'password', accountId)
  if (wait) return { refusal: [429, { trouble: tooManyTries(wait) }] }
  const proof = await provePassword(contextOf(context).db, accountId, current)
  return proof ? { proof } : { refusal: [400, { errors: { current: [wrongPassword] } }] }
}
