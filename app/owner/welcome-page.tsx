import { Link, redirect } from 'react-router'
import { accountDepsOf } from '../accounts/account-deps.server.ts'
import { NewAccountFields } from '../accounts/account-field.tsx'
import { signUpForm } from '../accounts/account-forms.ts'
import styles from '../accounts/accounts.module.css'
import { readNewAccount, urlAfterSignIn } from '../accounts/sign-in.server.ts'
import { formAction } from '../forms/form-action.server.ts'
import { denied, Rejection } from '../forms/outcome.ts'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { isAdministrator } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { hasHadAdministrator } from '../settings/roles.server.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { OPERATOR } from '../ui/operator.ts'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/welcome-page.ts'
import steps from './welcome.module.css'
import { createFirstAdministrator, promoteFirstAdministrator, resolveSetupKey } from './welcome.server.ts'
import { pathAfter, stepTitle, WelcomeStep } from './welcome-step.tsx'

// The first step if an administrator already exists.
const FIRST_STEP_PATH = pathAfter(1)

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, auth } = contextOf(context)
  const { passwords, verifies } = auth
  const token = parseToken(url.searchParams.get('key'))
  const open = await resolveSetupKey(db, token, { verifies })
  if (!open && isAdministrator(visitor)) throw redirect(FIRST_STEP_PATH)
  return {
    token,
    goesOn: isAdministrator(visitor),
    open: open && { again: open.accountId !== null, name: open.name, email: open.email || ownerEmailOf(context) },
    closed: open ? null : token || (await hasHadAdministrator(db)) ? KEY_INVALID : NO_KEY,
    visitor: visitor && { name: visitor.name, email: visitor.email },
    passwords,
    verifies,
  }
}

const KEY_INVALID = 'このアドレスは、もう使えません。管理者の方は、ログインしてお進みください。'
const NO_KEY =
  'はじめての設定は、サイトを起動した画面に表示されているアドレスを開いてお進みください。お手元にないときは、サイトを準備した方にお尋ねください。'
const EMAIL_TAKEN =
  'このメールアドレスはすでに登録されています。ログインしてから、このアドレスをもう一度開いてください。'

const parseToken = (value: unknown) => String(value ?? '').slice(0, 100)
const ownerEmailOf = (context: RequestContext) => contextOf(context).ownerEmail ?? ''

export const action = formAction(
  { fields: ['intent', 'key', 'name', 'email', 'password'], repeats: ['name', 'email'] },
  async ({ context, intent, form, field, db, auth, visitor, live }) => {
    const token = parseToken(field('key'))
    const deps = accountDepsOf(context)
    // The key is checked first, because a request without a valid key must not cause an expensive password hash.
    if (!(await resolveSetupKey(db, token, auth))) throw new Rejection(KEY_INVALID, 410)

    const ownerEmail = ownerEmailOf(context)
    if (intent === 'as oneself') {
      if (!visitor) throw denied(visitor, 'ログインしてから、もう一度お試しください。')
      if (ownerEmail && visitor.email !== ownerEmail) throw new Rejection(NOT_OWNER, 403)
      if (!(await promoteFirstAdministrator(deps, token, visitor))) throw new Rejection(KEY_INVALID, 410)
      live.endStreamsOf(visitor.accountId)
      return { to: FIRST_STEP_PATH }
    }
    const owner = await readNewAccount(context, form)
    const { email, password } = owner
    if (ownerEmail && email !== ownerEmail) throw new Rejection({ errors: { email: [NOT_OWNER] } }, 400)
    const outcome = await createFirstAdministrator(deps, token, owner)
    if (outcome === 'taken') throw new Rejection({ errors: { email: [EMAIL_TAKEN] } })
    if (outcome === 'closed') throw new Rejection(KEY_INVALID, 410)
    return { to: await urlAfterSignIn(context, auth.signInUnproven(email, password), FIRST_STEP_PATH) }
  },
)

const NOT_OWNER = `このサイトの管理者になれるのは、前もって決められたメールアドレスの方だけです。${OPERATOR}にお尋ねください。`

export const handle = { title: stepTitle(1), cache: 'none' }

export default function WelcomePage({ loaderData }: Route.ComponentProps) {
  const { token, open, closed, visitor } = loaderData
  return (
    <WelcomeStep step={1}>
      {!open && (
        <>
          <Notice>{closed}</Notice>
          <p className={page.actions}>
            <Link to="/emaillogin">メールアドレスでログイン</Link>
          </p>
        </>
      )}
      {open && visitor && !open.again && <SignedInForm token={token} visitor={visitor} />}
      {open && (!visitor || open.again) && <NewAccountForm {...loaderData} open={open} />}
    </WelcomeStep>
  )
}

function SignedInForm({ token, visitor }: { token: string; visitor: { name: string; email: string } }) {
  const save = useSave({ intents: ['as oneself'] })
  return (
    <SaveForm save={save} className={styles.form} hiddenFields={{ key: token }}>
      <p>
        {`${visitor.name || visitor.email} さん（${visitor.email}）としてログインしています。このアカウントが、サイトの管理者になります。`}
      </p>
      <Button type="submit" primary name="intent" value="as oneself" aria-disabled={save.busy}>
        管理者になって、次へ
      </Button>
      <Outcome save={save} />
    </SaveForm>
  )
}

type NewAccountProps = Pick<Route.ComponentProps['loaderData'], 'token' | 'passwords' | 'verifies' | 'goesOn'> & {
  open: { again: boolean; name: string; email: string }
}

function NewAccountForm({ token, open, passwords, verifies, goesOn }: NewAccountProps) {
  const save = useSave({ intents: ['begin'], check: checkFields(signUpForm(passwords)) })
  return (
    <SaveForm save={save} className={styles.form} hiddenFields={{ key: token }}>
      <p className={steps.lead}>
        {open.again
          ? `前に入力された ${open.email} は、まだ確認されていません。アドレスが違っていたときは、ここで入力し直せます。`
          : 'お店のサイトの管理者になる方のアカウントを作ります。'}
      </p>
      <NewAccountFields
        save={save}
        policy={passwords}
        first={open}
        // If no mail is configured, a mistyped password cannot be reset, so the password is visible.
        showsPassword={!verifies}
        hint={verifies ? '確認のメールをお送りします。確認を待たずに、このまま進めます。' : 'ログインに使います。'}
      />
      <SubmitButton busy={save.busy} meanwhile="登録しています…" name="intent" value="begin">
        次へ
      </SubmitButton>
      <Outcome save={save} />
      {goesOn && (
        <p className={page.actions}>
          <Link to={FIRST_STEP_PATH}>変えずに次へ進む</Link>
        </p>
      )}
    </SaveForm>
  )
}
