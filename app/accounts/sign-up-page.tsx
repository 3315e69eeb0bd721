import { Link } from 'react-router'
import { answered, orFailed } from '../forms/answered.server.ts'
import { checkFields } from '../forms/read-fields.ts'
import type { SaveAnswer } from '../forms/save-answer.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { readForm } from '../platform/form.server.ts'
import { contextOf } from '../request.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/sign-up-page.ts'
import { NewAccountFields } from './account-field.tsx'
import { signUpForm } from './account-forms.ts'
import styles from './accounts.module.css'
import { signUp } from './accounts.server.ts'
import { aroundOf } from './around.server.ts'
import { requireRegistration } from './registration.server.ts'
import { readNewAccount, signedInTo } from './sign-in.server.ts'

export async function loader({ context }: Route.LoaderArgs) {
  await requireRegistration(context)
  const { passwords, verifies } = contextOf(context).auth
  return { passwords, verifies }
}

export function action(given: Route.ActionArgs) {
  return orFailed(given, () => signUpHere(given))
}

async function signUpHere({ request, context }: Route.ActionArgs) {
  await requireRegistration(context)
  const { auth } = contextOf(context)
  const schema = signUpForm(auth.passwords)
  const form = await readForm(request, Object.keys(schema.shape))
  const values = { name: String(form.get('name') ?? ''), email: String(form.get('email') ?? '') }
  const answer = (status: number, said: SignUpAnswer) => answered(request, { values, ...said }, status)
  const { value, refusal } = await readNewAccount(context, form)
  if (refusal) return answer(...refusal)

  const { email, password } = value
  const outcome = await signUp(aroundOf(context), value)
  if (outcome === 'mailed') return answer(200, { done: mailed(email) })
  if (outcome === 'taken') return answer(409, { errors: { email: [taken] }, taken: true })
  return answered(request, { to: await signedInTo(context, auth.signIn(email, password), '/login/welcome') })
}

type SignUpAnswer = SaveAnswer & { taken?: boolean }
const taken = 'このメールアドレスはすでに登録されています'
const mailed = (email: string) =>
  `${email} にメールをお送りします。届いたら、24時間以内にメールのリンクを開いて、登録を完了してください。`

export const handle = { cache: 'browser', title: '新規登録', hasShortForms: true }

export default function SignUpPage({ loaderData: { passwords, verifies } }: Route.ComponentProps) {
  const save = useSave<SignUpAnswer>({ check: checkFields(signUpForm(passwords)) })
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
          <p className={styles.small}>
            お預かりする情報については<Link to="/privacy">プライバシーについて</Link>をご覧ください。
          </p>
          <p className={page.actions}>
            <SubmitButton busy={save.busy} meanwhile="登録しています…">
              登録する
            </SubmitButton>
          </p>
          <Outcome save={save}>
            {save.answer?.taken && save.errors && (
              <>
                {`${taken}。`}
                <Link to="/emaillogin">メールアドレスでログイン</Link>
              </>
            )}
          </Outcome>
        </SaveForm>
      )}
      <p className={page.actions}>
        <Link to="/login">ほかの方法でログインする</Link>
      </p>
    </div>
  )
}
