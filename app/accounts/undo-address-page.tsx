import { formAction } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { contextOf } from '../request.ts'
import { LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/undo-address-page.ts'
import { accountDepsOf } from './account-deps.server.ts'
import { undoEmailChange } from './email-verification.server.ts'
import { findMailedLink } from './mailed-links.server.ts'

const LINK_EXPIRED = 'このリンクは期限が切れたか、すでに使われています。お困りのときは、お店へご連絡ください。'
const EMAIL_TAKEN = 'このアドレスは、現在は別のアカウントで使われているため、元に戻せません。お店へご連絡ください。'

// Opening the mailed link changes nothing, because mail programs open links too. Only the button undoes the change.
export async function loader({ url, context }: Route.LoaderArgs) {
  const { db, clock } = contextOf(context)
  const token = url.searchParams.get('token') ?? ''
  const link = await findMailedLink(db, ['undo'], token, clock())
  return { token, email: link?.email ?? null }
}

export const action = formAction({ fields: ['token'] }, async ({ context, field, live }) => {
  const result = await undoEmailChange(accountDepsOf(context), field('token'))
  if (result === 'taken') throw new Rejection(EMAIL_TAKEN)
  if (!result) throw new Rejection(LINK_EXPIRED, 410)
  live.endStreamsOf(result.accountId)
  return { to: `/resetpassword?token=${result.reset}&back` }
})

export const handle = { cache: 'browser', title: 'メールアドレスを元に戻す', hasShortForms: true }

export default function UndoAddressPage({ loaderData: { token, email } }: Route.ComponentProps) {
  const save = useSave()
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="メールアドレスを元に戻す" english="Undo change of e-mail" />
      {!email ? (
        <>
          <Notice kind="trouble">{LINK_EXPIRED}</Notice>
          <p className={page.actions}>
            <LinkButton to="/emaillogin">メールアドレスでログイン</LinkButton>
          </p>
        </>
      ) : (
        <SaveForm save={save}>
          <p>
            {`アカウントのメールアドレスを ${email} に戻します。すべての端末がログアウトし、これまでのパスワードは使えなくなりますので、続けて新しいパスワードを設定してください。`}
          </p>
          <p>変更がご本人によるものでしたら、何もなさらずにこの画面を閉じてください。</p>
          <input type="hidden" name="token" value={token} />
          <p className={page.actions}>
            <SubmitButton busy={save.busy} meanwhile="元に戻しています…">
              元に戻す
            </SubmitButton>
          </p>
          <Outcome save={save} />
        </SaveForm>
      )}
    </div>
  )
}
