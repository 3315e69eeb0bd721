import { useRef } from 'react'
import { Link } from 'react-router'
import { formAction } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { contextOf } from '../request.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/email-login-page.ts'
import { accountDepsOf, countMailAttempt } from './account-deps.server.ts'
import { SignInFields } from './account-field.tsx'
import { EmailLoginForm } from './account-forms.ts'
import styles from './accounts.module.css'
import { resendVerification } from './email-verification.server.ts'
import { PasskeyAutofill } from './passkey-sign-in.tsx'
import { isRegistrationOpen } from './registration.server.ts'
import { signInByForm } from './sign-in.server.ts'
import { useIsSlow } from './use-is-slow.ts'

export async function loader({ url, context }: Route.LoaderArgs) {
  const { searchParams } = url
  return {
    newPassword: searchParams.has('newpassword'),
    newAccount: searchParams.has('newaccount'),
    registers: await isRegistrationOpen(contextOf(context).db),
  }
}

export const action = formAction(
  { fields: ['email', 'password'], repeats: ['email'] },
  async ({ context, form }): Promise<{ to: string }> => {
    const { email, isVerified } = await signInByForm(context, form)
    if (isVerified) return { to: '/login/welcome' }
    const minutesToWait = await countMailAttempt(context, email)
    if (!minutesToWait) await resendVerification(accountDepsOf(context), email)
    throw new Rejection(minutesToWait ? UNVERIFIED : UNVERIFIED_AND_MAILED, 403)
  },
)

const UNVERIFIED =
  'メールアドレスの確認がまだお済みでありません。先にお送りした確認のメールのリンクを開くか、時間をおいてもう一度お試しください。'
const UNVERIFIED_AND_MAILED =
  'メールアドレスの確認がまだお済みでないため、確認のメールをお送りします。届いたら、メールのリンクを開いてください。'

export const handle = { cache: 'browser', title: 'メールアドレスでログイン', hasShortForms: true }

export default function EmailLoginPage({ loaderData }: Route.ComponentProps) {
  const save = useSave({ check: checkFields(EmailLoginForm) })
  const formElement = useRef<HTMLFormElement>(null)
  const isSlow = useIsSlow(save.busy || save.answer?.to !== undefined)
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="メールアドレスでログイン" english="E-mail login" />
      {loaderData.newPassword && <Notice kind="done">新しいパスワードを設定しました。ログインしてください。</Notice>}
      {loaderData.newAccount && <Notice kind="done">登録が終わりました。ログインしてください。</Notice>}
      <SaveForm save={save} ref={formElement} className={styles.form}>
        <SignInFields save={save} />
        <SubmitButton busy={save.busy} meanwhile="ログインしています…">
          ログインする
        </SubmitButton>
        <Outcome save={save} />
        <div role="status">
          {isSlow && (
            <Notice>
              ログインに時間がかかっています。
              <Button onClick={() => save.fetcher.submit(formElement.current, { defaultShouldRevalidate: false })}>
                もう一度試す
              </Button>
            </Notice>
          )}
        </div>
      </SaveForm>
      <PasskeyAutofill />
      <ul className={styles.links}>
        <li>
          <Link to="/resetpassword">パスワードをお忘れの方</Link>
        </li>
        {loaderData.registers && (
          <li>
            <Link to="/signupform">新規登録</Link>
          </li>
        )}
        <li>
          <Link to="/privacy">プライバシーについて</Link>
        </li>
      </ul>
    </div>
  )
}
