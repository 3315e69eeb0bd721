import { useState } from 'react'
import { redirect } from 'react-router'
import { contextOf } from '../request.ts'
import { LinkButton } from '../ui/button.tsx'
import { Alert } from '../ui/dialog.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/signed-in-page.ts'
import { isRegistrationOpen } from './registration.server.ts'

export async function loader({ context }: Route.LoaderArgs) {
  const { visitor, auth, db } = contextOf(context)
  if (!visitor) throw redirect('/login')
  const session = await auth.session()
  if (session) await auth.rememberDevice(session)
  if (visitor.member || visitor.staff || !(await isRegistrationOpen(db))) throw redirect('/')
  return null
}

export const handle = { cache: 'browser', title: 'ようこそ' }

const REGISTER_FIRST = '先にメンバー情報を登録してください'

export default function SignedInPage() {
  const [isAlertOpen, setIsAlertOpen] = useState(true)
  const registerLink = (
    <LinkButton to="/membercreate" primary>
      メンバー登録へ進む
    </LinkButton>
  )
  return (
    <div className={page.page}>
      <PageTitle title="ようこそ" english="Welcome" />
      <noscript>
        <p>{`${REGISTER_FIRST}。`}</p>
      </noscript>
      <p>
        登録して管理者に承認されると、参加申込とメンバー一覧をご覧いただけます。お店のページは、登録しなくてもご覧いただけます。
      </p>
      <p className={page.actions}>
        {registerLink}
        <LinkButton to="/">ホームへ</LinkButton>
      </p>
      {isAlertOpen && (
        <Alert sentence={REGISTER_FIRST} onClose={() => setIsAlertOpen(false)}>
          {registerLink}
        </Alert>
      )}
    </div>
  )
}
