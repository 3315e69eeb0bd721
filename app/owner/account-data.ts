import { dataOf } from '../accounts/accounts.server.ts'
import { contextOf } from '../request.ts'
import type { Route } from './+types/account-data.ts'

export async function loader({ context }: Route.LoaderArgs) {
  const session = await contextOf(context).auth.session()
  if (!session) return new Response('ログインしてください。', { status: 401, headers: plain })
  const kept = await dataOf(contextOf(context).db, session, contextOf(context).clock())
  return new Response(`${JSON.stringify(kept, null, 2)}\n`, {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account.json"',
    },
  })
}

const plain = { 'content-type': 'text/plain; charset=utf-8' }
