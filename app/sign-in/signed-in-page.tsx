import { Link, redirect, useNavigate } from 'react-router'
import { authKey } from '../accounts/auth.server.ts'
import { pageMeta } from '../frame/page-meta.ts'
import { hasCircle, readPages } from '../pages/pages.server.ts'
import { visitorKey } from '../request.ts'
import button from '../ui/button.module.css'
import { Alert } from '../ui/dialog.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/signed-in-page.ts'

/** Where everyone arrives who has signed in: members and the shop's people go on to the first page, others register first. */
export async function loader({ context }: Route.LoaderArgs) {
  const visitor = context.get(visitorKey)
  if (!visitor) throw redirect('/login')
  const auth = context.get(authKey)
  const session = await auth.session()
  if (session) await auth.rememberDevice(session)
  // Nor is there anything to register for where there is no circle.
  if (visitor.member || visitor.staff || !hasCircle(await readPages(context))) throw redirect('/')
  return null
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'メンバー登録のお願い', path: '/login/welcome', listed: false })
}

export default function SignedInPage() {
  const navigate = useNavigate()
  return (
    <div className={page.page}>
      <PageTitle title="メンバー登録のお願い" english="Welcome" />
      <p>先にメンバー情報を登録してください。</p>
      <p className={page.actions}>
        <Link to="/membercreate" className={`${button.button} ${button.primary}`}>
          メンバー登録へ進む
        </Link>
      </p>
      <Alert sentence="先にメンバー情報を登録してください" onClose={() => navigate('/membercreate')} />
    </div>
  )
}
