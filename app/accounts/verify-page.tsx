import { answered, orFailed } from '../forms/answered.server.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { readForm } from '../platform/form.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { rolesOf } from '../settings/roles.server.ts'
import { LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/verify-page.ts'
import { askPassword } from './account-changes.server.ts'
import { CurrentPassword } from './account-field.tsx'
import styles from './accounts.module.css'
import { findProof, proveAddress } from './addresses.server.ts'
import { aroundOf } from './around.server.ts'

// Opening the link verifies nothing, because mail programs open links too; only the button does.
export async function loader({ url, context }: Route.LoaderArgs) {
  const token = url.searchParams.get('token') ?? ''
  const link = await findProof(contextOf(context).db, token, contextOf(context).clock())
  return {
    token,
    asksPassword: link !== null && (await wantsPassword(context, link)),
    email: link?.email ?? null,
    verifies: contextOf(context).auth.verifies,
    changes: link?.purpose === 'change',
    signedIn: contextOf(context).visitor !== null,
  }
}

export function action(given: Route.ActionArgs) {
  return orFailed(given, () => verify(given))
}

async function verify({ request, context }: Route.ActionArgs) {
  const form = await readForm(request, ['token', 'current'])
  const token = String(form.get('token') ?? '')
  const link = await findProof(contextOf(context).db, token, contextOf(context).clock())
  if (link && (await wantsPassword(context, link))) {
    const { proof, refusal } = await askPassword(context, link.accountId, String(form.get('current') ?? ''))
    if (refusal) return answered(request, refusal[1], refusal[0])
    if (!proof.hash) return answered(request, { trouble: SIGN_IN_FIRST, signIn: true }, 401)
  }
  const verified = await proveAddress(aroundOf(context), token)
  if (!verified) return answered(request, { trouble: linkIsOver }, 410)
  const { email, isNew } = verified
  return answered(request, {
    done: isNew ? `メールアドレスが ${email} に変わりました。` : `${email} を確認しました。ありがとうございます。`,
  })
}

// Staff must enter the password: a mistyped e-mail may belong to a stranger, who must not get staff access.
async function wantsPassword(context: RequestContext, { accountId }: { accountId: string }) {
  const isOwn = contextOf(context).visitor?.accountId === accountId
  return !isOwn && (await rolesOf(contextOf(context).db, accountId)).staff !== null
}

const SIGN_IN_FIRST = 'ログインしてから、もう一度リンクを開いてください。'
const linkIsOver = 'このリンクは期限が切れたか、すでに使われています。'

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
              ? `アカウントのメールアドレスを ${email} に変えます。ご自身で変更されるときだけ、ボタンを押してください。`
              : `${email} はあなたのメールアドレスですか。ご自身で登録されたときだけ、ボタンを押してください。`}
          </p>
          <input type="hidden" name="token" value={token} />
          {asksPassword && <CurrentPassword save={save} />}
          <p className={page.actions}>
            <SubmitButton busy={save.busy} meanwhile="確認しています…">
              {changes ? 'このアドレスに変える' : 'このアドレスを確認する'}
            </SubmitButton>
          </p>
          <Outcome save={save} />
        </SaveForm>
      ) : done ? (
        <Outcome save={save} />
      ) : (
        <Notice kind="trouble">
          {`${linkIsOver}${verifies ? 'ログインすると、確認のメールをもう一度お送りできます。' : ''}`}
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
