import { Link } from 'react-router'
import { formAction } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { contextOf } from '../request.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/sign-up-page.ts'
import { accountDepsOf } from './account-deps.server.ts'
import { NewAccountFields, PrivacyNote } from './account-field.tsx'
import { signUpForm } from './account-forms.ts'
import styles from './accounts.module.css'
import { signUp } from './accounts.server.ts'
import { requireRegistration } from './registration.server.ts'
import { readNewAccount, urlAfterSignIn } from './sign-in.server.ts'

export async function loader({ context }: Route.LoaderArgs) {
  await requireRegistration(context)
  const { passwords, verifies } = contextOf(context).auth
  return { passwords, verifies }
}

export const action = formAction(
  { fields: ['name', 'email', 'password'], repeats: ['name', 'email'] },
  async ({ context, form, auth }) => {
    await requireRegistration(context)
    const account = await readNewAccount(context, form)
    const { email, password } = account
    const outcome = await signUp(accountDepsOf(context), account)
    if (outcome === 'mailed') return { done: mailedMessage(email) }
    if (outcome === 'taken') throw new Rejection({ errors: { email: [EMAIL_TAKEN] } })
    return { to: await urlAfterSignIn(context, auth.signIn(email, password), '/login/welcome') }
  },
)

const EMAIL_TAKEN = 'このメールアドレスはすでに登録されています'
const mailedMessage = (email: string) =>
  `${email} にメールをお送りします。届いたら、24時間以内にメールのリンクを開いて、登録を完了してください。`

export const handle = { cache: 'browser', title: '新規登録', hasShortForms: true }

export default function SignUpPage({ loaderData: { passwords, verifies } }: Route.ComponentProps) {
  const save = useSave({ check: checkFields(signUpForm(passwords)) })
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="新規登録" english="Sign up" />
      {save.answer?.done ? (
        <Outcome save={save} />
      ) : (
        <SaveForm save={save} className={styles.form}>
          <NewAccountFields
            save={save}
            policy={passwords}
            hint={verifies ? '確認のメールをお送りします。' : undefined}
          />
          <PrivacyNote />
          <p className={page.actions}>
            <SubmitButton busy={save.busy} meanwhile="登録しています…">
              登録する
            </SubmitButton>
          </p>
          <Outcome save={save}>
            {save.errors?.email?.includes(EMAIL_TAKEN) ? (
              <>
                {`${EMAIL_TAKEN}。`}
                <Link to="/emaillogin">メールアドレスでログイン</Link>
              </>
            ) : null}
          </Outcome>
        </SaveForm>
      )}
      <p className={page.actions}>
        <Link to="/login">ほかの方法でログインする</Link>
      </p>
    </div>
  )
}
