import { getFormProps, useForm } from '@conform-to/react'
import { parseWithZod } from '@conform-to/zod/v4'
import { useRef } from 'react'
import { data, Form, Link, redirect, useNavigation } from 'react-router'
import { countAttempt, forgetAttempts, tooManyTries } from '../attempts.server.ts'
import { readForm } from '../form.server.ts'
import { authKey, clockKey, dbKey } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import button from '../ui/button.module.css'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/email-login-page.ts'
import { AccountField } from './account-field.tsx'
import { EmailLoginForm } from './account-forms.ts'
import styles from './accounts.module.css'
import { sendVerificationAgain } from './addresses.server.ts'
import { aroundOf } from './around.server.ts'
import { orNoNetwork } from './or-no-network.ts'
import { signInProblems } from './sign-in-problems.ts'
import { useTakesLong } from './use-takes-long.ts'

export function loader({ url }: Route.LoaderArgs) {
  return { newPassword: url.searchParams.has('newpassword') }
}

export async function action({ request, context }: Route.ActionArgs) {
  const submission = parseWithZod(await readForm(request, Object.keys(EmailLoginForm.shape)), {
    schema: EmailLoginForm,
  })
  if (submission.status !== 'success') return data({ result: submission.reply({ hideFields: ['password'] }) }, 400)
  const refuse = (sentence: string, status: number) =>
    data({ result: submission.reply({ formErrors: [sentence], hideFields: ['password'] }) }, status)

  const { email, password } = submission.value
  const auth = context.get(authKey)
  const db = context.get(dbKey)
  const now = context.get(clockKey)()
  const who = { account: email, device: await auth.knownDevice(email), address: auth.address }
  const wait = await countAttempt(db, 'signIn', { ...who, now })
  if (wait) return refuse(tooManyTries(wait), 429)

  const signedIn = await auth.signIn(email, password)
  if (signedIn === 'refused') return refuse(signInProblems.refused, 401)
  await forgetAttempts(db, 'signIn', who)
  if (signedIn === 'signed in') throw redirect('/login/welcome')

  if (!(await countAttempt(db, 'mail', { account: email, address: auth.address, now }))) {
    await sendVerificationAgain(aroundOf(context), email)
  }
  return refuse(
    'メールアドレスの確認がまだお済みでないため、確認のメールをお送りしました。メールのリンクを開いてください',
    403,
  )
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return orNoNetwork(serverAction)
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'メールアドレスでログイン', path: '/emaillogin', listed: false })
}

export default function EmailLoginPage({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm({
    lastResult: actionData?.result,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: EmailLoginForm }),
    shouldRevalidate: 'onInput',
  })
  const element = useRef<HTMLFormElement>(null)
  const takesLong = useTakesLong(useNavigation().state !== 'idle')
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="メールアドレスでログイン" english="E-mail login" />
      {loaderData.newPassword && <Notice kind="done">新しいパスワードを登録しました。ログインしてください。</Notice>}
      <Form method="post" {...getFormProps(form)} ref={element} className={styles.form}>
        {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
        <AccountField field={fields.email} label="メールアドレス" type="email" autoComplete="username" />
        <AccountField field={fields.password} label="パスワード" type="password" autoComplete="current-password" />
        <SubmitButton meanwhile="ログインしています…">ログインする</SubmitButton>
        <div role="status">
          {takesLong && (
            <Notice>
              ログインに時間がかかっています。
              <button type="button" className={button.button} onClick={() => element.current?.requestSubmit()}>
                もう一度試す
              </button>
            </Notice>
          )}
        </div>
      </Form>
      <ul className={styles.links}>
        <li>
          <Link to="/resetpassword">パスワードをお忘れの方</Link>
        </li>
        <li>
          <Link to="/signupform">新規登録</Link>
        </li>
        <li>
          <Link to="/privacy">プライバシーについて</Link>
        </li>
      </ul>
    </div>
  )
}
