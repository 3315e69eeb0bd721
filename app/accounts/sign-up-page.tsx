import { getFormProps, useForm } from '@conform-to/react'
import { parseWithZod } from '@conform-to/zod/v4'
import { data, Form, Link, redirect } from 'react-router'
import { countAttempt, tooManyTries } from '../attempts.server.ts'
import { readForm } from '../form.server.ts'
import { authKey, clockKey, dbKey } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/sign-up-page.ts'
import { AccountField, NewPasswordField } from './account-field.tsx'
import { signUpForm } from './account-forms.ts'
import styles from './accounts.module.css'
import { signUp } from './accounts.server.ts'
import { aroundOf } from './around.server.ts'
import { isCommonPassword } from './common-password.server.ts'
import { orNoNetwork } from './or-no-network.ts'
import { commonPassword } from './password.ts'

export function loader({ context }: Route.LoaderArgs) {
  const { passwords, verifies } = context.get(authKey)
  return { passwords, verifies }
}

export async function action({ request, context }: Route.ActionArgs) {
  const auth = context.get(authKey)
  const schema = signUpForm(auth.passwords)
  const submission = parseWithZod(await readForm(request, Object.keys(schema.shape)), { schema })
  const hideFields = ['password']
  if (submission.status !== 'success') return data({ result: submission.reply({ hideFields }) }, 400)

  const { email, password } = submission.value
  if (isCommonPassword(password, email)) {
    return data({ result: submission.reply({ fieldErrors: { password: [commonPassword] }, hideFields }) }, 400)
  }
  const db = context.get(dbKey)
  const now = context.get(clockKey)()
  const wait = await countAttempt(db, 'signUp', { account: email, address: auth.address, now })
  if (wait) return data({ result: submission.reply({ formErrors: [tooManyTries(wait)], hideFields }) }, 429)

  const outcome = await signUp(aroundOf(context), submission.value)
  if (outcome === 'mailed') return { result: submission.reply({ resetForm: true }), mailedTo: email }
  if (outcome === 'taken') {
    const sentence = 'このメールアドレスはすでに登録されています'
    return data({ result: submission.reply({ fieldErrors: { email: [sentence] }, hideFields }), taken: true }, 409)
  }
  await auth.signIn(email, password)
  throw redirect('/login/welcome')
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return orNoNetwork(serverAction)
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: '新規登録', path: '/signupform', listed: false })
}

export default function SignUpPage({ loaderData: { passwords, verifies }, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm({
    lastResult: actionData?.result,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: signUpForm(passwords) }),
    shouldRevalidate: 'onInput',
  })
  const answer = (actionData ?? {}) as { mailedTo?: string; taken?: boolean }
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="新規登録" english="Sign up" />
      {answer.mailedTo ? (
        <Notice kind="done">
          {answer.mailedTo} にメールをお送りしました。24時間以内にメールのリンクを開いて、登録を完了してください。
        </Notice>
      ) : (
        <Form method="post" {...getFormProps(form)} className={styles.form}>
          {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
          {answer.taken && (
            <Notice kind="trouble">
              このメールアドレスはすでに登録されています。<Link to="/emaillogin">メールアドレスでログイン</Link>
              からお進みください。
            </Notice>
          )}
          <AccountField field={fields.name} label="お名前" autoComplete="name" />
          <AccountField
            field={fields.email}
            label="メールアドレス"
            type="email"
            autoComplete="username"
            hint={verifies ? '確認のメールをお送りします。' : undefined}
          />
          <NewPasswordField field={fields.password} policy={passwords} />
          <p className={styles.small}>
            お預かりする情報については<Link to="/privacy">プライバシーについて</Link>をご覧ください。
          </p>
          <p className={page.actions}>
            <SubmitButton meanwhile="登録しています…">登録する</SubmitButton>
          </p>
        </Form>
      )}
      <p className={page.actions}>
        <Link to="/login">ほかの方法でログインする</Link>
      </p>
    </div>
  )
}
