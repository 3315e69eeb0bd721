import { accountDepsOf } from '../accounts/account-deps.server.ts'
import { AccountField, NewAccountFields, PrivacyNote, SignInFields } from '../accounts/account-field.tsx'
import { EmailLoginForm, signUpForm } from '../accounts/account-forms.ts'
import styles from '../accounts/accounts.module.css'
import { clearLocalFlags } from '../accounts/local-flags.ts'
import { readNewAccount, signInByForm, urlAfterSignIn } from '../accounts/sign-in.server.ts'
import { parseSignInError, signInErrors } from '../accounts/sign-in-errors.ts'
import { formAction } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { checkFields, parseFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { contextOf } from '../request.ts'
import button from '../ui/button.module.css'
import { Button, LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/invitation-page.ts'
import { acceptInvitation, findInvitation, type InvitationRejection, signUpByInvitation } from './invitations.server.ts'
import staffStyles from './staff.module.css'
import { rejectionTexts, roles, StaffNameForm } from './staff.ts'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, clock, visitor, auth } = contextOf(context)
  const token = parseToken(url.searchParams.get('key'))
  const invitation = await findInvitation(db, visitor, token, clock())
  const problem = parseSignInError(url.searchParams.get('problem'))
  return {
    token,
    invitation: invitation.state === 'open' ? { name: invitation.name, role: invitation.role } : null,
    rejection: invitation.state === 'open' ? null : invitation.state,
    visitor: visitor && { name: visitor.name, email: visitor.email },
    problem: problem && signInErrors[problem],
    passwords: auth.passwords,
    hasGoogle: auth.hasGoogle,
  }
}

const parseToken = (value: string | null) => (value ?? '').slice(0, 100)
const invitationPath = (token: string) => `/invitation?${new URLSearchParams({ key: token })}`

export const action = formAction(
  { fields: ['intent', 'key', 'name', 'email', 'password'], repeats: ['name', 'email'] },
  async ({ context, intent, form, field, db, clock, auth, visitor, live }) => {
    const token = parseToken(field('key'))
    const now = clock()
    if (intent === 'leave') {
      await auth.signOut()
      if (visitor) live.endStreamsOf(visitor.accountId)
      return { to: invitationPath(token) }
    }
    const { state } = await findInvitation(db, visitor, token, now)
    if (state !== 'open') throw createRejection(state)

    if (intent === 'accept') {
      const { name } = parseFields(StaffNameForm, form)
      if (!visitor) throw new Rejection('ログインしてから、もう一度お試しください。', 401)
      const rejection = await acceptInvitation(db, visitor, { token, name }, now)
      if (rejection) throw createRejection(rejection)
      live.endStreamsOf(visitor.accountId)
      return { done: WELCOME, to: '/' }
    }
    if (intent === 'sign up') {
      const account = await readNewAccount(context, form)
      const rejection = await signUpByInvitation(accountDepsOf(context), token, account)
      if (rejection === 'taken') throw new Rejection({ errors: { email: [TAKEN] } })
      if (rejection) throw createRejection(rejection)
      const signedIn = auth.signInUnproven(account.email, account.password)
      return { done: WELCOME, to: await urlAfterSignIn(context, signedIn, '/') }
    }
    if (intent === 'sign in') {
      const { isVerified } = await signInByForm(context, form)
      if (!isVerified) throw new Rejection(UNVERIFIED, 403)
      return { to: invitationPath(token) }
    }
    throw new Rejection('操作を選び直してください。', 400)
  },
)

const WELCOME = 'スタッフとして登録しました。画面の下のメニューから編集できます。'
const TAKEN = 'このメールアドレスはすでに登録されています。下の「アカウントをお持ちの方」からログインしてください。'
const UNVERIFIED =
  'メールアドレスの確認がまだお済みでないアカウントです。先に、届いているメールのリンクを開いてください。'

function createRejection(state: InvitationRejection) {
  const status = state === 'already' || state === 'used by oneself' ? 409 : 410
  // The page then shows the reason instead of the form.
  return new Rejection({ trouble: rejectionTexts[state], isOutdated: true }, status)
}

export const handle = { title: 'スタッフへの招待', cache: 'none' }

export default function InvitationPage({ loaderData }: Route.ComponentProps) {
  const { token, invitation, rejection, visitor, problem } = loaderData
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="スタッフへの招待" english="Invitation" />
      {problem && <Notice kind="trouble">{problem}</Notice>}
      {invitation && (
        <>
          <p className={staffStyles.lead}>{`スタッフとして招待されています。${roles[invitation.role].description}`}</p>
          {visitor ? (
            <AcceptForm token={token} name={invitation.name} visitor={visitor} />
          ) : (
            <NewcomerForms {...loaderData} name={invitation.name} />
          )}
        </>
      )}
      {rejection && (
        <>
          <Notice kind={rejection === 'used by oneself' ? 'done' : 'trouble'}>{rejectionTexts[rejection]}</Notice>
          <p className={page.actions}>
            {rejection === 'used' && !visitor && <LinkButton to="/emaillogin">メールアドレスでログイン</LinkButton>}
            <LinkButton to="/">ホームへ</LinkButton>
          </p>
        </>
      )}
    </div>
  )
}

type AcceptProps = { token: string; name: string; visitor: { name: string; email: string } }

function AcceptForm({ token, name, visitor }: AcceptProps) {
  const save = useSave({ intents: ['accept'], check: checkFields(StaffNameForm) })
  return (
    <>
      <p className={staffStyles.lead}>
        {`${visitor.name || visitor.email} さん（${visitor.email}）としてログインしています。`}
      </p>
      <SaveForm save={save} className={styles.form} hiddenFields={{ key: token }}>
        <AccountField save={save} name="name" label="お店での呼び名" autoComplete="name" first={visitor.name || name} />
        <SubmitButton busy={save.busy} meanwhile="登録しています…" name="intent" value="accept">
          このアカウントで受け取る
        </SubmitButton>
        <Outcome save={save} />
      </SaveForm>
      {/* This form causes a full page load, which removes the data of the other account from memory. */}
      <form method="post" className={page.section} onSubmit={clearLocalFlags}>
        <input type="hidden" name="key" value={token} />
        <p>ご自身のアカウントでないときは、ログアウトしてから受け取ってください。</p>
        <p className={page.actions}>
          <Button type="submit" name="intent" value="leave">
            ログアウトする
          </Button>
        </p>
      </form>
    </>
  )
}

type NewcomerProps = Pick<Route.ComponentProps['loaderData'], 'token' | 'passwords' | 'hasGoogle'> & { name: string }

function NewcomerForms({ token, name, passwords, hasGoogle }: NewcomerProps) {
  const signUp = useSave({ intents: ['sign up'], check: checkFields(signUpForm(passwords)) })
  const signIn = useSave({ intents: ['sign in'], check: checkFields(EmailLoginForm) })
  return (
    <>
      <SaveForm save={signUp} className={styles.form} hiddenFields={{ key: token }}>
        <NewAccountFields save={signUp} policy={passwords} first={{ name }} />
        <PrivacyNote />
        <p className={page.actions}>
          <SubmitButton busy={signUp.busy} meanwhile="登録しています…" name="intent" value="sign up">
            登録して受け取る
          </SubmitButton>
        </p>
        <Outcome save={signUp} />
      </SaveForm>
      <section className={page.section}>
        <h2>アカウントをお持ちの方</h2>
        <SaveForm save={signIn} className={styles.form} hiddenFields={{ key: token }}>
          <SignInFields save={signIn} />
          <Button type="submit" name="intent" value="sign in" aria-disabled={signIn.busy}>
            ログインして受け取る
          </Button>
          <Outcome save={signIn} />
        </SaveForm>
        {hasGoogle && (
          <p className={page.actions}>
            <a
              href={`/login/google?${new URLSearchParams({ for: 'invitation', key: token })}`}
              className={button.button}
            >
              Googleアカウントでログイン
            </a>
          </p>
        )}
      </section>
    </>
  )
}
