import { Link } from 'react-router'
import { formAction, type Submission } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { checkFields, parseFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { Notice } from '../ui/notice.tsx'
import { OPERATOR } from '../ui/operator.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/reset-page.ts'
import { accountDepsOf, assertNoWait, countMailAttempt } from './account-deps.server.ts'
import { AccountField, NewPasswordField, PrivacyNote } from './account-field.tsx'
import { EmailForm, resetForm } from './account-forms.ts'
import styles from './accounts.module.css'
import { requestReset, resetPassword } from './accounts.server.ts'
import { assertUncommon } from './common-password.server.ts'
import { findMailedLink } from './mailed-links.server.ts'
import type { PasswordPolicy } from './password.ts'

const LINK_EXPIRED = 'このリンクは期限が切れたか、すでに使われています。もう一度お手続きください。'

export async function loader({ url, context }: Route.LoaderArgs) {
  const { passwords, verifies } = contextOf(context).auth
  const token = url.searchParams.get('token')
  const opens = token !== null && (await findReset(context, token)) !== null
  return { passwords, verifies, token, opens, givenBack: url.searchParams.has('back') }
}

function findReset(context: RequestContext, token: string) {
  const { db, clock } = contextOf(context)
  return findMailedLink(db, ['reset'], token, clock())
}

export const action = formAction(
  {
    fields: ['email', 'token', 'password'],
    intentOf: (field) => (field('token') ? 'password' : 'mail'),
    repeats: ['email'],
  },
  async (submission) => (submission.intent === 'password' ? setPassword(submission) : requestLink(submission)),
)

async function requestLink({ context, form, auth }: Submission) {
  const { email } = parseFields(EmailForm, form)
  assertNoWait(await countMailAttempt(context, email))
  await requestReset(accountDepsOf(context), email)
  return {
    done: auth.verifies
      ? `${email} が登録されていれば、再設定のメールをお送りします。届いたら、1時間以内にメールのリンクを開いてください。`
      : `お申し込みを受け付けました。メールはお送りできませんので、${email} の再設定のリンクは、お店へ直接ご連絡のうえ、お受け取りください。スタッフの方は、${OPERATOR}にお尋ねください。`,
  }
}

async function setPassword({ context, form, auth, live }: Submission) {
  const input = parseFields(resetForm(auth.passwords), form)
  const email = (await findReset(context, input.token))?.email
  if (email) await assertUncommon(input.password, email)
  const accountId = email && (await resetPassword(accountDepsOf(context), input))
  if (!accountId) throw new Rejection(LINK_EXPIRED, 410)
  live.endStreamsOf(accountId)
  await auth.rememberDevice({ accountId })
  return { to: '/emaillogin?newpassword' }
}

export const handle = { cache: 'browser', title: 'パスワードの再設定', hasShortForms: true }

export default function ResetPage({ loaderData }: Route.ComponentProps) {
  const { passwords, verifies, token, opens, givenBack } = loaderData
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="パスワードの再設定" english="Reset password" />
      {givenBack && opens && (
        <Notice kind="done">メールアドレスを元に戻しました。新しいパスワードを設定すると、ログインできます。</Notice>
      )}
      {token && opens ? (
        <NewPasswordForm token={token} policy={passwords} />
      ) : (
        <>
          {token && <Notice kind="trouble">{LINK_EXPIRED}</Notice>}
          <LinkRequestForm verifies={verifies} />
        </>
      )}
      <p className={page.actions}>
        <Link to="/emaillogin">メールアドレスでログイン</Link>
      </p>
    </div>
  )
}

function LinkRequestForm({ verifies }: { verifies: boolean }) {
  const save = useSave({ intents: ['mail'], check: checkFields(EmailForm) })
  if (save.answer?.done) return <Outcome save={save} />
  return (
    <>
      {!verifies && (
        <Notice>
          このサイトではメールをお送りできません。下にアドレスを入力してお申し込みのうえ、お店へ直接ご連絡ください。お店が再設定のリンクをお渡しします。
        </Notice>
      )}
      <SaveForm save={save} className={styles.form}>
        <AccountField save={save} name="email" label="登録したメールアドレス" type="email" autoComplete="username" />
        <PrivacyNote />
        <p className={page.actions}>
          <SubmitButton busy={save.busy} meanwhile="お申し込みを送信しています…">
            {verifies ? '再設定のメールを送る' : '再設定を申し込む'}
          </SubmitButton>
        </p>
        <Outcome save={save} />
      </SaveForm>
    </>
  )
}

function NewPasswordForm({ token, policy }: { token: string; policy: PasswordPolicy }) {
  const save = useSave({ intents: ['password'], check: checkFields(resetForm(policy)) })
  return (
    <SaveForm save={save} className={styles.form} hiddenFields={{ token }}>
      <NewPasswordField save={save} label="新しいパスワード" policy={policy} />
      <SubmitButton busy={save.busy} meanwhile="設定しています…">
        このパスワードにする
      </SubmitButton>
      <Outcome save={save} />
    </SaveForm>
  )
}
