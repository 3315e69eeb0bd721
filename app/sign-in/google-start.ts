import { redirect } from 'react-router'
import { authKey } from '../accounts/auth.server.ts'
import type { SignInProblem } from '../accounts/sign-in-problems.ts'
import { countAttempt } from '../attempts.server.ts'
import { clockKey, dbKey } from '../request.ts'
import type { Route } from './+types/google-start.ts'

/**
 * Sends the browser to Google; `?window=popup` where this is a window of its own, `?for=backup` where a backup is wanted,
 * `?for=invitation&key=…` where an invitation is open.
 */
export async function loader({ url, context }: Route.LoaderArgs) {
  const auth = context.get(authKey)
  const inPopup = url.searchParams.get('window') === 'popup'
  const how = inPopup ? '?window=popup' : wantedFor(url.searchParams)
  const back = `/login/finished${how}`
  const fail = (problem: SignInProblem) => redirect(`${back}${how ? '&' : '?'}problem=${problem}`)

  if (!auth.hasGoogle) return fail('noKey')
  const now = context.get(clockKey)()
  if (await countAttempt(context.get(dbKey), 'google', { address: auth.address, now })) return fail('tries')
  const google = await auth.startGoogle(back)
  return google ? redirect(google) : fail('unreachable')
}

function wantedFor(asked: URLSearchParams) {
  if (asked.get('for') === 'backup') return '?for=backup'
  if (asked.get('for') === 'invitation')
    return `?${new URLSearchParams({ for: 'invitation', key: (asked.get('key') ?? '').slice(0, 100) })}`
  return ''
}
