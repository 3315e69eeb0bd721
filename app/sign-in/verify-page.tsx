import { Link } from 'react-router'
import { findProof, proveAddress } from '../accounts/addresses.server.ts'
import { aroundOf } from '../accounts/around.server.ts'
import { authKey } from '../accounts/auth.server.ts'
import { readForm } from '../form.server.ts'
import { pageMeta } from '../frame/page-meta.ts'
import { clockKey, dbKey, visitorKey } from '../request.ts'
import { answered, orFailed } from '../saving/answered.server.ts'
import { Outcome, SaveForm } from '../saving/save-form.tsx'
import { useSave } from '../saving/use-save.ts'
import button from '../ui/button.module.css'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/verify-page.ts'

// Opening the link proves nothing yet: mail programs open links too. Pressing the button does.
export async function loader({ url, context }: Route.LoaderArgs) {
  const token = url.searchParams.get('token') ?? ''
  const link = await findProof(context.get(dbKey), token, context.get(clockKey)())
  return {
    token,
    email: link?.email ?? null,
    verifies: context.get(authKey).verifies,
    changes: link?.purpose === 'change',
    signedIn: context.get(visitorKey) !== null,
  }
}

export function action(given: Route.ActionArgs) {
  return orFailed(given, () => verify(given))
}

async function verify({ request, context }: Route.ActionArgs) {
  const token = String((await readForm(request, ['token'])).get('token') ?? '')
  const verified = await proveAddress(aroundOf(context), token)
  if (!verified) return answered(request, { trouble: linkIsOver }, 410)
  const { email, isNew } = verified
  return answered(request, {
    done: isNew ? `メールアドレスが ${email} に変わりました。` : `${email} を確認しました。ありがとうございます。`,
  })
}

const linkIsOver = 'このリンクは期限が切れたか、すでに使われています。'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'メールアドレスの確認', path: '/verifyemail', listed: false })
}

export default function VerifyPage({ loaderData }: Route.ComponentProps) {
  const { token, email, changes, signedIn, verifies } = loaderData
  const save = useSave()
  const { done } = save.answer ?? {}
  const next = signedIn ? { to: '/account', label: 'アカウントへ' } : { to: '/emaillogin', label: 'ログインする' }
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="メールアドレスの確認" english="Verify e-mail" />
      {email && !done ? (
        <SaveForm save={save}>
          <p>
            {changes
              ? `アカウントのメールアドレスを ${email} に変えます。ご自身で変更されるときだけ、ボタンを押してください。`
              : `${email} はあなたのメールアドレスですか。ご自身で登録されたときだけ、ボタンを押してください。`}
          </p>
          <input type="hidden" name="token" value={token} />
          <Outcome save={save} />
          <p className={page.actions}>
            <SubmitButton busy={save.busy} meanwhile="確認しています…">
              {changes ? 'このアドレスに変える' : 'このアドレスを確認する'}
            </SubmitButton>
          </p>
        </SaveForm>
      ) : done ? (
        <Outcome save={save} />
      ) : (
        <Notice kind="trouble">
          {linkIsOver}
          {verifies && 'ログインすると、確認のメールをもう一度お送りできます。'}
        </Notice>
      )}
      {(done || !email) && (
        <p className={page.actions}>
          <Link to={next.to} className={`${button.button} ${button.primary}`}>
            {next.label}
          </Link>
        </p>
      )}
    </div>
  )
}
