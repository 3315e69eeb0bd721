import { toStored } from '../../db/booleans.ts'
import { exportAccountData } from '../accounts/accounts.server.ts'
import { contextOf } from '../request.ts'
import type { Route } from './+types/account-data.ts'

export async function loader({ context }: Route.LoaderArgs) {
  const { db, clock, auth } = contextOf(context)
  const session = await auth.session()
  if (!session) return new Response('ログインしてください。', { status: 401, headers: plainTextHeaders })
  const exported = await exportAccountData(db, session, clock())
  return new Response(`${JSON.stringify(exported, (_, value) => toStored(value), 2)}\n`, {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account.json"',
    },
  })
}

const plainTextHeaders = { 'content-type': 'text/plain; charset=utf-8' }
