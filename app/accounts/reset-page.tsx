import { getFormProps, getInputProps, useForm } from '@conform-to/react'
import { parseWithZod } from '@conform-to/zod/v4'
import { data, Form, Link, redirect } from 'react-router'
import { countAttempt, tooManyTries } from '../attempts.server.ts'
import { readForm } from '../form.server.ts'
import { authKey, clockKey, dbKey, liveKey } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/reset-page.ts'
import { AccountField, NewPasswordField } from './account-field.tsx'
import { EmailForm, resetForm } from './account-forms.ts'
import styles from './accounts.module.css'
import { addressOfReset, requestReset, resetPassword } from './accounts.server.ts'
import { aroundOf } from './around.server.ts'
import { isCommonPassword } from './common-password.server.ts'
import { orNoNetwork } from './or-no-network.ts'
import { commonPassword, type PasswordPolicy } from './password.ts'

const linkIsOver = 'このリンクは期限が切れたか、すでに使われています。もう一度お手続きください'

export async function loader({ url, context }: Route.LoaderArgs) {
  const { passwords, verifies } = context.get(authKey)
  const token = url.searchParams.get('token')
  const opens = token !== null && (await addressOfReset(context.get(dbKey), token, context.get(clockKey)())) !== null
  return { passwords, verifies, token, opens, givenBack: url.searchParams.has('back') }
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await readForm(request, ['email', 'token', 'password'])
  return form.has('token') ? setPassword(form, context) : mailLink(form, context)
}

async function mailLink(form: FormData, context: Route.ActionArgs['context']) {
  const submission = parseWithZod(form, { schema: EmailForm })
  if (submission.status !== 'success') return data({ result: submission.reply() }, 400)
  const { email } = submission.value
  const db = context.get(dbKey)
  const now = context.get(clockKey)()
  const wait = await countAttempt(db, 'mail', { account: email, address: context.get(authKey).address, now })
  if (wait) return data({ result: submission.reply({ formErrors: [tooManyTries(wait)] }) }, 429)
  await requestReset(aroundOf(context), email)
  return { result: submission.reply({ resetForm: true }), mailedTo: email }
}

async function setPassword(form: FormData, context: Route.ActionArgs['context']) {
  const submission = parseWithZod(form, { schema: resetForm(context.get(authKey).passwords) })
  const hideFields = ['password']
  if (submission.status !== 'success') return data({ result: submission.reply({ hideFields }) }, 400)
  const db = context.get(dbKey)
  const now = context.get(clockKey)()
  const email = await addressOfReset(db, submission.value.token, now)
  if (email && isCommonPassword(submission.value.password, email)) {
    return data({ result: submission.reply({ fieldErrors: { password: [commonPassword] }, hideFields }) }, 400)
  }
  const accountId = email && (await resetPassword(aroundOf(context), submission.value))
  if (!accountId) {
    return data({ result: submission.reply({ formErrors: [linkIsOver], hideFields }) }, 410)
  }
  context.get(liveKey).endStreamsOf(accountId)
  await context.get(authKey).rememberDevice({ accountId })
  throw redirect('/emaillogin?newpassword')
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return orNoNetwork(serverAction)
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'パスワードの再設定', path: '/resetpassword', listed: false })
}

export default function ResetPage({ loaderData, actionData }: Route.ComponentProps) {
  const { passwords, verifies, token, opens, givenBack } = loaderData
  const mailedTo = (actionData as { mailedTo?: string } | undefined)?.mailedTo
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="パスワードの再設定" english="Reset password" />
      {givenBack && opens && (
        <Notice kind="done">メールアドレスを元に戻しました。新しいパスワードを決めると、ログインできます。</Notice>
      )}
      {token && opens ? (
        <NewPassword token={token} policy={passwords} result={actionData?.result} />
      ) : (
        <>
          {token && <Notice kind="trouble">{linkIsOver}。</Notice>}
          {mailedTo ? (
            <Notice kind="done">
              {verifies
                ? `${mailedTo} が登録されていれば、再設定のメールをお送りしました。1時間以内にメールのリンクを開いてください。`
                : `お申し込みを受け付けました。メールはお送りできませんので、${mailedTo} の再設定のリンクを、お店へ直接お尋ねください。`}
            </Notice>
          ) : (
            <MailLink verifies={verifies} result={actionData?.result} />
          )}
        </>
      )}
      <p className={page.actions}>
        <Link to="/emaillogin">メールアドレスでログイン</Link>
      </p>
    </div>
  )
}

type Result = NonNullable<Route.ComponentProps['actionData']>['result'] | undefined

function MailLink({ verifies, result }: { verifies: boolean; result: Result }) {
  const [form, fields] = useForm({
    lastResult: result,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: EmailForm }),
    shouldRevalidate: 'onInput',
  })
  return (
    <>
      {!verifies && (
        <Notice>
          このサイトではメールをお送りできません。下にアドレスを入力してお申し込みのうえ、お店へ直接ご連絡ください。お店が再設定のリンクをお渡しします。
        </Notice>
      )}
      <Form method="post" {...getFormProps(form)} className={styles.form}>
        {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
        <AccountField field={fields.email} label="登録したメールアドレス" type="email" autoComplete="username" />
        <p className={styles.small}>
          お預かりする情報については<Link to="/privacy">プライバシーについて</Link>をご覧ください。
        </p>
        <p className={page.actions}>
          <SubmitButton meanwhile="お申し込みを送っています…">
            {verifies ? '再設定のメールを送る' : '再設定を申し込む'}
          </SubmitButton>
        </p>
      </Form>
    </>
  )
}

function NewPassword({ token, policy, result }: { token: string; policy: PasswordPolicy; result: Result }) {
  const [form, fields] = useForm({
    lastResult: result,
    defaultValue: { token },
    onValidate: ({ formData }) => parseWithZod(formData, { schema: resetForm(policy) }),
    shouldRevalidate: 'onInput',
  })
  const { key, ...hidden } = getInputProps(fields.token, { type: 'hidden' })
  return (
    <Form method="post" {...getFormProps(form)} className={styles.form}>
      {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
      <input key={key} {...hidden} />
      <NewPasswordField field={fields.password} label="新しいパスワード" policy={policy} />
      <SubmitButton meanwhile="登録しています…">このパスワードにする</SubmitButton>
    </Form>
  )
}
