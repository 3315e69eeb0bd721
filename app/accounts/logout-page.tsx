import { formAction } from '../forms/form-action.server.ts'
import { contextOf } from '../request.ts'
import button from '../ui/button.module.css'
import { LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/logout-page.ts'
import { SignOutButton } from './sign-out-button.tsx'

export function loader({ context }: Route.LoaderArgs) {
  return { signedIn: contextOf(context).visitor !== null }
}

export const action = formAction(
  { fields: [], failure: 'ログアウトに失敗しました。もう一度お試しください。' },
  async ({ auth, visitor, live }) => {
    await auth.signOut()
    if (visitor) live.endStreamsOf(visitor.accountId)
    return { to: '/home' }
  },
)

export const handle = { cache: 'browser', title: 'ログアウト', hasShortForms: true }

export default function LogoutPage({ loaderData: { signedIn }, actionData }: Route.ComponentProps) {
  return (
    <div className={page.page}>
      <PageTitle title="ログアウト" english="Logout" />
      {actionData?.trouble && <Notice kind="trouble">{actionData.trouble}</Notice>}
      {signedIn ? (
        <SignOutButton className={`${button.button} ${button.primary}`} submitsOnMount>
          ログアウトする
        </SignOutButton>
      ) : (
        <>
          <p>ログインしていません。</p>
          <p className={page.actions}>
            <LinkButton to="/">ホームへ</LinkButton>
          </p>
        </>
      )}
    </div>
  )
}
