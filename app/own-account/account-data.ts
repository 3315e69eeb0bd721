import { dataOf } from '../accounts/accounts.server.ts'
import { authKey } from '../accounts/auth.server.ts'
import { clockKey, dbKey } from '../request.ts'
import type { Route } from './+types/account-data.ts'

/** Everything that is kept of the person who asks, as a JSON file. */
export async function loader({ context }: Route.LoaderArgs) {
  const session = await context.get(authKey).session()
  if (!session) return new Response('ログインしてください。', { status: 401, headers: plain })
  const kept = await dataOf(context.get(dbKey), session, context.get(clockKey)())
  return new Response(`${JSON.stringify(kept, null, 2)}\n`, {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account.json"',
    },
  })
}

const plain = { 'content-type': 'text/plain; charset=utf-8' }
