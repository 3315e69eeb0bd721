import { parseWithZod } from '@conform-to/zod/v4'
import { data, redirect } from 'react-router'
import { inTransaction } from '../../db/transaction.ts'
import { countAttempt, tooManyTries } from '../attempts.server.ts'
import { eraseMember } from '../members/administration.server.ts'
import { LastAdministrator } from '../members/members.server.ts'
import { authKey, clockKey, dbKey, liveKey } from '../request.ts'
import type { Route } from './+types/account-page.ts'
import { AddressForm, LeaveForm, passwordForm } from './account-forms.ts'
import * as accounts from './accounts.server.ts'
import { changeAddress as change, sendVerification } from './addresses.server.ts'
import { aroundOf } from './around.server.ts'
import type { Session } from './auth.server.ts'
import { isCommonPassword } from './common-password.server.ts'
import { commonPassword } from './password.ts'
import { provePassword, stillHolds } from './proof.server.ts'
import { signInProblems } from './sign-in-problems.ts'

type Context = Route.ActionArgs['context']

const wrongPassword = '今のパスワードが正しくありません'
const noPassword = 'パスワードがありません。先に「パスワードの再設定」から決めてください'
const signInAgain = 'パスワードかログインがたった今変わったため、何も変えていません。もう一度ログインしてください'

/** Changes one's own password; every other device is signed out. A 400 or 429 brings the sentences for the form. */
export async function changePassword(form: FormData, session: Session, context: Context) {
  const { email, accountId } = session
  const auth = context.get(authKey)
  const submission = parseWithZod(form, { schema: passwordForm(auth.passwords) })
  const hideFields = ['current', 'password']
  if (submission.status !== 'success') return data({ password: submission.reply({ hideFields }) }, 400)
  const { current, password } = submission.value
  if (isCommonPassword(password, email)) {
    return data({ password: submission.reply({ fieldErrors: { password: [commonPassword] }, hideFields }) }, 400)
  }
  const wait = await countPassword(context, accountId)
  if (wait) return data({ password: submission.reply({ formErrors: [tooManyTries(wait)], hideFields }) }, 429)
  if (!(await accounts.changePassword(aroundOf(context), session, { current, password }))) {
    return data({ password: submission.reply({ fieldErrors: { current: [wrongPassword] }, hideFields }) }, 400)
  }
  const here = await auth.signIn(email, password)
  await auth.rememberDevice({ accountId, id: session.id })
  context.get(liveKey).endStreamsOf(accountId)
  return {
    password: submission.reply({ resetForm: true }),
    done:
      here === 'signed in'
        ? 'パスワードを変更しました。ほかの端末はログアウトしました。'
        : 'パスワードを変更しました。すべての端末がログアウトしましたので、新しいパスワードでログインしてください。',
  }
}

/** Changes one's own address, at once or by a mailed link where the site verifies; 409 where another account has it. */
export async function changeAddress(form: FormData, session: Session, context: Context) {
  const submission = parseWithZod(form, { schema: AddressForm })
  const hideFields = ['current']
  if (submission.status !== 'success') return data({ email: submission.reply({ hideFields }) }, 400)
  const { email, current } = submission.value
  if (email === session.email) {
    const sentence = '今のメールアドレスと同じです'
    return data({ email: submission.reply({ fieldErrors: { email: [sentence] }, hideFields }) }, 400)
  }
  const wait = await countPassword(context, session.accountId)
  if (wait) return data({ email: submission.reply({ formErrors: [tooManyTries(wait)], hideFields }) }, 429)
  const proof = await provePassword(context.get(dbKey), session.accountId, current)
  if (!proof) return data({ email: submission.reply({ fieldErrors: { current: [wrongPassword] }, hideFields }) }, 400)
  if (!proof.hash) return data({ email: submission.reply({ formErrors: [noPassword], hideFields }) }, 400)
  const mails = context.get(authKey).verifies ? await countNewAddress(context, session.accountId) : null
  if (mails) return data({ email: submission.reply({ formErrors: [tooManyTries(mails)], hideFields }) }, 429)
  const outcome = await change(aroundOf(context), { id: session.accountId, email }, (trx) =>
    stillHolds(trx, session, proof),
  )
  if (outcome === 'refused') return data({ done: null, refused: signInAgain }, 401)
  if (outcome === 'taken') {
    const sentence = 'このメールアドレスはすでに登録されています'
    return data({ email: submission.reply({ fieldErrors: { email: [sentence] }, hideFields }) }, 409)
  }
  const done =
    outcome === 'mailed'
      ? `${email} に確認のメールをお送りしました。メールのリンクを開いてボタンを押すと、アドレスが変わります。`
      : 'メールアドレスを変更しました。'
  return { email: submission.reply({ resetForm: true }), done }
}

/** Mails the link that proves one's address once more; 429 where that was asked too often, 400 where no mail leaves. */
export async function verifyAgain({ accountId, email }: Session, context: Context) {
  if (!context.get(authKey).verifies) return data({ done: null, refused: signInProblems.noMail }, 400)
  const wait = await countMail(context, email)
  if (wait) return data({ done: null, refused: tooManyTries(wait) }, 429)
  await sendVerification(aroundOf(context), { id: accountId, email })
  return { done: `${email} に確認のメールをお送りしました。` }
}

/** Erases the account and the member's record, and leads home signed out; 409 for the last administrator. */
export async function leaveForGood(form: FormData, session: Session, context: Context) {
  const { accountId } = session
  const submission = parseWithZod(form, { schema: LeaveForm })
  const hideFields = ['current']
  if (submission.status !== 'success') return data({ leave: submission.reply({ hideFields }) }, 400)
  const db = context.get(dbKey)
  const wait = await countPassword(context, accountId)
  if (wait) return data({ leave: submission.reply({ formErrors: [tooManyTries(wait)], hideFields }) }, 429)
  const proof = await provePassword(db, accountId, submission.value.current)
  if (!proof) return data({ leave: submission.reply({ fieldErrors: { current: [wrongPassword] }, hideFields }) }, 400)
  try {
    const left = await inTransaction(db, async (trx) => {
      if (!(await stillHolds(trx, session, proof))) return false
      await eraseMember(trx, accountId, new Date(context.get(clockKey)()).toISOString())
      await accounts.eraseAccount(trx, accountId)
      return true
    })
    if (!left) return data({ done: null, refused: signInAgain }, 401)
  } catch (error) {
    if (!(error instanceof LastAdministrator)) throw error
    const sentence = '最後の管理者は退会できません。先にほかの方を管理者にしてください'
    return data({ leave: submission.reply({ formErrors: [sentence], hideFields }) }, 409)
  }
  await context.get(authKey).signOut()
  context.get(liveKey).endStreamsOf(accountId)
  throw redirect('/home')
}

function countMail(context: Context, email: string) {
  const { address } = context.get(authKey)
  return countAttempt(context.get(dbKey), 'mail', { account: email, address, now: context.get(clockKey)() })
}

function countNewAddress(context: Context, accountId: string) {
  const { address } = context.get(authKey)
  return countAttempt(context.get(dbKey), 'newAddress', { account: accountId, address, now: context.get(clockKey)() })
}

function countPassword(context: Context, accountId: string) {
  const { address } = context.get(authKey)
  return countAttempt(context.get(dbKey), 'password', { account: accountId, address, now: context.get(clockKey)() })
}
