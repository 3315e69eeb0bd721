import { formAction } from '../forms/form-action.server.ts'
import { denied, Rejection } from '../forms/outcome.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { readRoles } from '../settings/roles.server.ts'
import { LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/verify-page.ts'
import { verifyCurrentPassword } from './account-changes.server.ts'
import { accountDepsOf } from './account-deps.server.ts'
import { CurrentPassword } from './account-field.tsx'
import styles from './accounts.module.css'
import { findVerification, verifyEmail } from './email-verification.server.ts'

// Opening the link verifies nothing, because mail programs open links too. Only the button verifies the address.
export async function loader({ url, context }: Route.LoaderArgs) {
  const { db, clock, auth, visitor } = contextOf(context)
  const token = url.searchParams.get('token') ?? ''
  const link = await findVerification(db, token, clock())
  return {
    token,
    asksPassword: link !== null && (await needsPassword(context, link)),
    email: link?.email ?? null,
    verifies: auth.verifies,
    changes: link?.purpose === 'change',
    signedIn: visitor !== null,
  }
}

export const action = formAction({ fields: ['token', 'current'] }, async ({ context, db, clock, field }) => {
  const token = field('token')
  const link = await findVerification(db, token, clock())
  if (link && (await needsPassword(context, link))) {
    const proof = await verifyCurrentPassword(context, link.accountId, field('current'))
    if (!proof.hash) throw denied(null, SIGN_IN_FIRST)
  }
  const verified = await verifyEmail(accountDepsOf(context), token)
  if (!verified) throw new Rejection(LINK_EXPIRED, 410)
  const { email, isNew } = verified
  return {
    done: isNew ? `メールアドレスが ${email} に変わりました。` : `${email} を確認しました。ありがとうございます。`,
  }
})

// Staff must enter the password, because a mistyped address could give a stranger staff access.
async function needsPassword(context: RequestContext, { accountId }: { accountId: string }) {
  const { db, visitor } = contextOf(context)
  return visitor?.accountId !== accountId && (await readRoles(db, accountId)).staff !== null
}

const SIGN_IN_FIRST = 'ログインしてから、もう一度リンクを開いてください。'
const LINK_EXPIRED = 'このリンクは期限が切れたか、すでに使われています。'

export const handle = { cache: 'browser', title: 'メールアドレスの確認', hasShortForms: true }

export default function VerifyPage({ loaderData }: Route.ComponentProps) {
  const { token, email, changes, signedIn, verifies, asksPassword } = loaderData
  const save = useSave()
  const { done } = save.answer ?? {}
  const next = signedIn ? { to: '/account', label: 'アカウントへ' } : { to: '/emaillogin', label: 'ログインする' }
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="メールアドレスの確認" english="Verify e-mail" />
      {email && !done ? (
        <SaveForm save={save} className={styles.form}>
          <p>
            {changes
              ? `アカウントのメールアドレスを ${email} に変更します。ご自身で変更されるときだけ、ボタンを押してください。`
              : `メールアドレス ${email} を確認します。ご自身で登録されたときだけ、ボタンを押してください。`}
          </p>
          <input type="hidden" name="token" value={token} />
          {asksPassword && <CurrentPassword save={save} />}
          <p className={page.actions}>
            <SubmitButton busy={save.busy} meanwhile="確認しています…">
              {changes ? 'このアドレスに変更する' : 'このアドレスを確認する'}
            </SubmitButton>
          </p>
          <Outcome save={save} />
        </SaveForm>
      ) : done ? (
        <Outcome save={save} />
      ) : (
        <Notice kind="trouble">
          {`${LINK_EXPIRED}${verifies ? 'ログインすると、確認のメールをもう一度お送りできます。' : ''}`}
        </Notice>
      )}
      {(done || !email) && (
        <p className={page.actions}>
          <LinkButton to={next.to} primary>
            {next.label}
          </LinkButton>
        </p>
      )}
    </div>
  )
}
