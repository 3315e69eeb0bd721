import { getFormProps, type SubmissionResult, useForm } from '@conform-to/react'
import { parseWithZod } from '@conform-to/zod/v4'
import { data, Form, Link, redirect } from 'react-router'
import { inTransaction } from '../../db/transaction.ts'
import { eraseMember } from '../members/administration.server.ts'
import { LastAdministrator } from '../members/members.server.ts'
import { authKey, clockKey, dbKey, liveKey, visitorKey } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import button from '../ui/button.module.css'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/account-page.ts'
import { AccountField, NewPasswordField } from './account-field.tsx'
import { AddressForm, LeaveForm, passwordForm } from './account-forms.ts'
import styles from './accounts.module.css'
import {
  accountOf,
  aroundOf,
  changeEmail,
  endSessions,
  eraseAccount,
  passwordIs,
  sendVerification,
} from './accounts.server.ts'
import { countAttempt, tooManyTries } from './attempts.server.ts'
import type { Session } from './auth.server.ts'
import { isCommonPassword } from './common-password.server.ts'
import { deviceName } from './device.ts'
import { orNoNetwork } from './or-no-network.ts'
import { commonPassword, type PasswordPolicy } from './password.ts'
import { SignOutButton } from './sign-out-button.tsx'

type Context = Route.ActionArgs['context']

const wrongPassword = '今のパスワードが正しくありません'
const signInFirst = 'ログインしてからご覧ください'

export async function loader({ context }: Route.LoaderArgs) {
  const { session, passwords, verifies } = context.get(authKey)
  const signedIn = await session()
  if (!signedIn) return null
  const { methods, sessions } = await accountOf(context.get(dbKey), signedIn.accountId, signedIn.id)
  return {
    name: signedIn.name,
    email: signedIn.email,
    emailVerified: signedIn.emailVerified,
    hasPassword: methods.some(({ provider }) => provider === 'credential'),
    hasGoogle: methods.some(({ provider }) => provider === 'google'),
    registered: context.get(visitorKey)?.member != null,
    passwords,
    verifies,
    devices: sessions.map(({ id, userAgent, ipAddress, updatedAt }) => ({
      id,
      name: deviceName(userAgent),
      ipAddress,
      usedAt: inWords(updatedAt),
      here: id === signedIn.id,
    })),
  }
}

const dateFormat = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Asia/Tokyo' })
const inWords = (at: string) => dateFormat.format(new Date(at))

export async function action({ request, context }: Route.ActionArgs) {
  const session = await context.get(authKey).session()
  if (!session) return data({ done: null, refused: signInFirst }, 401)
  const form = await request.formData()
  switch (form.get('intent')) {
    case 'password':
      return changePassword(form, session, context)
    case 'email':
      return changeAddress(form, session, context)
    case 'verify':
      return verifyAgain(session, context)
    case 'device':
    case 'other devices': {
      const device = form.get('intent') === 'device' ? { sessionId: String(form.get('device')) } : {}
      await endSessions(context.get(dbKey), session.accountId, { ...device, except: session.id })
      context.get(liveKey).endStreamsOf(session.accountId)
      return { done: 'ログアウトしました。' }
    }
    case 'leave':
      return leaveForGood(form, session, context)
    default:
      return data({ done: null, refused: 'この操作はありません' }, 400)
  }
}

async function changePassword(form: FormData, { email, accountId }: Session, context: Context) {
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
  if (!(await auth.changePassword(current, password))) {
    return data({ password: submission.reply({ fieldErrors: { current: [wrongPassword] }, hideFields }) }, 400)
  }
  context.get(liveKey).endStreamsOf(accountId)
  return {
    password: submission.reply({ resetForm: true }),
    done: 'パスワードを変更しました。ほかの端末はログアウトしました。',
  }
}

async function changeAddress(form: FormData, session: Session, context: Context) {
  const submission = parseWithZod(form, { schema: AddressForm })
  const hideFields = ['current']
  if (submission.status !== 'success') return data({ email: submission.reply({ hideFields }) }, 400)
  const { email, current } = submission.value
  const wait = await countPassword(context, session.accountId)
  if (wait) return data({ email: submission.reply({ formErrors: [tooManyTries(wait)], hideFields }) }, 429)
  if (!(await passwordIs(context.get(dbKey), session.accountId, current))) {
    return data({ email: submission.reply({ fieldErrors: { current: [wrongPassword] }, hideFields }) }, 400)
  }
  const outcome = await changeEmail(aroundOf(context), { id: session.accountId, name: session.name, email })
  if (outcome === 'taken') {
    const sentence = 'このメールアドレスはすでに登録されています'
    return data({ email: submission.reply({ fieldErrors: { email: [sentence] }, hideFields }) }, 409)
  }
  const done =
    outcome === 'mailed'
      ? `${email} に確認のメールをお送りしました。リンクを開くとアドレスが変わります。`
      : 'メールアドレスを変更しました。'
  return { email: submission.reply({ resetForm: true }), done }
}

async function verifyAgain(session: Session, context: Context) {
  const { address } = context.get(authKey)
  const now = context.get(clockKey)()
  const wait = await countAttempt(context.get(dbKey), 'mail', { account: session.email, address, now })
  if (wait) return data({ done: null, refused: tooManyTries(wait) }, 429)
  await sendVerification(aroundOf(context), { id: session.accountId, name: session.name, email: session.email })
  return { done: `${session.email} に確認のメールをお送りしました。` }
}

async function leaveForGood(form: FormData, { accountId }: Session, context: Context) {
  const submission = parseWithZod(form, { schema: LeaveForm })
  const hideFields = ['current']
  if (submission.status !== 'success') return data({ leave: submission.reply({ hideFields }) }, 400)
  const db = context.get(dbKey)
  const wait = await countPassword(context, accountId)
  if (wait) return data({ leave: submission.reply({ formErrors: [tooManyTries(wait)], hideFields }) }, 429)
  if (!(await passwordIs(db, accountId, submission.value.current))) {
    return data({ leave: submission.reply({ fieldErrors: { current: [wrongPassword] }, hideFields }) }, 400)
  }
  try {
    await inTransaction(db, async (trx) => {
      await eraseMember(trx, accountId, new Date(context.get(clockKey)()).toISOString())
      await eraseAccount(trx, accountId)
    })
  } catch (error) {
    if (!(error instanceof LastAdministrator)) throw error
    const sentence = '最後の管理者は退会できません。先にほかの方を管理者にしてください'
    return data({ leave: submission.reply({ formErrors: [sentence], hideFields }) }, 409)
  }
  await context.get(authKey).signOut()
  context.get(liveKey).endStreamsOf(accountId)
  throw redirect('/home')
}

function countPassword(context: Context, accountId: string) {
  const { address } = context.get(authKey)
  return countAttempt(context.get(dbKey), 'password', { account: accountId, address, now: context.get(clockKey)() })
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return orNoNetwork(serverAction)
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'アカウント', path: '/account', listed: false })
}

/** What any of the forms on this page may get back. */
type Answer = {
  done?: string | null
  refused?: string
  result?: Result
  password?: Result
  email?: Result
  leave?: Result
}
type Result = SubmissionResult<string[]>

export default function AccountPage({ loaderData, actionData }: Route.ComponentProps) {
  const answer = (actionData ?? {}) as Answer
  const trouble = answer.refused ?? answer.result?.error?.['']?.[0]
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="アカウント" english="Account" />
      {trouble && <Notice kind="trouble">{trouble}</Notice>}
      {answer.done && <Notice kind="done">{answer.done}</Notice>}
      {loaderData ? <Account {...loaderData} answer={answer} /> : <SignInFirst />}
    </div>
  )
}

function SignInFirst() {
  return (
    <>
      <p>{signInFirst}。</p>
      <p className={page.actions}>
        <Link to="/login" className={`${button.button} ${button.primary}`}>
          会員ログイン
        </Link>
      </p>
    </>
  )
}

type Loaded = NonNullable<Route.ComponentProps['loaderData']>

function Account({ answer, ...account }: Loaded & { answer: Answer }) {
  return (
    <>
      <p>
        {account.name || account.email} さん（
        {[account.hasPassword && 'パスワード', account.hasGoogle && 'Google'].filter(Boolean).join('・')}でログイン）
      </p>
      <div className={page.actions}>
        <SignOutButton className={button.button}>ログアウト</SignOutButton>
        {!account.registered && (
          <Link to="/membercreate" className={button.button}>
            メンバー登録へ進む
          </Link>
        )}
      </div>
      <Address {...account} result={answer.email} />
      <Password {...account} policy={account.passwords} result={answer.password} />
      <Devices devices={account.devices} />
      <section className={page.section}>
        <h2>お預かりしている情報</h2>
        <p>アカウントとメンバー登録の内容を、一つのファイルで受け取れます。</p>
        <p className={page.actions}>
          <a href="/account/data" download className={button.button}>
            ファイルを受け取る
          </a>
        </p>
      </section>
      <Leave hasPassword={account.hasPassword} result={answer.leave} />
      <p className={page.section}>
        <Link to="/privacy">プライバシーについて</Link>
      </p>
    </>
  )
}

type AddressProps = Pick<Loaded, 'email' | 'emailVerified' | 'hasPassword' | 'verifies'> & {
  result: Result | undefined
}

function Address({ email, emailVerified, hasPassword, verifies, result }: AddressProps) {
  const [form, fields] = useForm({
    id: 'email',
    lastResult: result,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: AddressForm }),
    shouldRevalidate: 'onInput',
  })
  return (
    <section className={page.section}>
      <h2>メールアドレス</h2>
      <p>
        {email}（{emailVerified ? '確認済み' : '未確認'}）
      </p>
      {!emailVerified && verifies && (
        <Form method="post" className={page.actions}>
          <button type="submit" name="intent" value="verify" className={button.button}>
            確認のメールを送る
          </button>
        </Form>
      )}
      {hasPassword && (
        <details className={styles.more}>
          <summary>メールアドレスを変更する</summary>
          <Form method="post" {...getFormProps(form)} className={styles.form}>
            {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
            <AccountField field={fields.email} label="新しいメールアドレス" type="email" autoComplete="email" />
            <AccountField
              field={fields.current}
              label="今のパスワード"
              type="password"
              autoComplete="current-password"
            />
            <SubmitButton name="intent" value="email">
              変更する
            </SubmitButton>
          </Form>
        </details>
      )}
    </section>
  )
}

type PasswordProps = { hasPassword: boolean; policy: PasswordPolicy; result: Result | undefined }

function Password({ hasPassword, policy, result }: PasswordProps) {
  const [form, fields] = useForm({
    id: 'password',
    lastResult: result,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: passwordForm(policy) }),
    shouldRevalidate: 'onInput',
  })
  return (
    <section className={page.section}>
      <h2>パスワード</h2>
      {hasPassword ? (
        <details className={styles.more}>
          <summary>パスワードを変更する</summary>
          <Form method="post" {...getFormProps(form)} className={styles.form}>
            {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
            <AccountField
              field={fields.current}
              label="今のパスワード"
              type="password"
              autoComplete="current-password"
            />
            <NewPasswordField field={fields.password} label="新しいパスワード" policy={policy} />
            <SubmitButton name="intent" value="password">
              変更する
            </SubmitButton>
          </Form>
        </details>
      ) : (
        <p>
          Googleでログインされているため、パスワードはありません。必要なときは
          <Link to="/resetpassword">パスワードの再設定</Link>から決められます。
        </p>
      )}
    </section>
  )
}

function Devices({ devices }: Pick<Loaded, 'devices'>) {
  return (
    <section className={page.section}>
      <h2>ログインしている端末</h2>
      <ul className={styles.devices}>
        {devices.map(({ id, name, ipAddress, usedAt, here }) => (
          <li key={id}>
            <span>
              {name}
              {here && '（この端末）'}
              <br />
              <span className={styles.small}>
                {usedAt} {ipAddress}
              </span>
            </span>
            {!here && (
              <Form method="post">
                <input type="hidden" name="device" value={id} />
                <button type="submit" name="intent" value="device" className={button.button}>
                  <span className="visually-hidden">
                    {name}（{usedAt}）を
                  </span>
                  ログアウトさせる
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {devices.length > 1 && (
        <Form method="post">
          <button type="submit" name="intent" value="other devices" className={button.button}>
            ほかの端末をすべてログアウトさせる
          </button>
        </Form>
      )}
    </section>
  )
}

function Leave({ hasPassword, result }: { hasPassword: boolean; result: Result | undefined }) {
  const [form, fields] = useForm({
    id: 'leave',
    lastResult: result,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: LeaveForm }),
    shouldRevalidate: 'onInput',
  })
  return (
    <section className={page.section}>
      <h2>退会</h2>
      <details className={styles.more}>
        <summary>退会する</summary>
        <Form method="post" {...getFormProps(form)} className={styles.form}>
          {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
          <p>アカウント、メンバー登録、ログインの記録がその場で消えます。元には戻せません。</p>
          <label className={styles.agree}>
            <input
              type="checkbox"
              name={fields.agreed.name}
              aria-invalid={fields.agreed.errors ? true : undefined}
              aria-describedby={fields.agreed.errors && 'leave-agreed-error'}
            />
            内容を確認しました
          </label>
          {fields.agreed.errors && (
            <p id="leave-agreed-error" role="alert">
              {fields.agreed.errors}
            </p>
          )}
          {hasPassword && (
            <AccountField
              field={fields.current}
              label="今のパスワード"
              type="password"
              autoComplete="current-password"
            />
          )}
          <SubmitButton name="intent" value="leave">
            退会する
          </SubmitButton>
        </Form>
      </details>
    </section>
  )
}
