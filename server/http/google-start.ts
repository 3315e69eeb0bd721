import type { Context } from 'hono'
import { isRegistrationOpen } from '../../app/accounts/registration.server.ts'
import type { SignInProblem } from '../../app/accounts/sign-in-problems.ts'
import { countAttempt } from '../../app/platform/attempts.server.ts'
import { findInvitation } from '../../app/staff/invitations.server.ts'
import type { Env, World } from './asking.ts'

/** Redirects to Google. Not a loader, because a loader holds a rendering slot and Google may be slow. */
export function handleGoogleStart({ db, clock }: World) {
  const registers = async (asked: URLSearchParams) =>
    asked.get('for') === 'invitation'
      ? (await findInvitation(db, null, asked.get('key') ?? '', clock())).state === 'open'
      : isRegistrationOpen(db)
  return async (c: Context<Env>) => {
    const { auth } = c.var
    const asked = new URL(c.req.url).searchParams
    const how = asked.get('window') === 'popup' ? '?window=popup' : wantedFor(asked)
    const back = `/login/finished${how}`
    const fail = (problem: SignInProblem) => `${back}${how ? '&' : '?'}problem=${problem}`

    let location = fail('noKey')
    if (auth.hasGoogle) {
      const wait = await countAttempt(db, 'google', { address: auth.address, now: clock() })
      location = wait
        ? fail('tries')
        : ((await auth.startGoogle(back, { registers: await registers(asked) })) ?? fail('unreachable'))
    }
    c.header('cache-control', 'private, no-store')
    for (const cookie of auth.cookies) c.header('set-cookie', cookie, { append: true })
    return c.redirect(location)
  }
}

function wantedFor(asked: URLSearchParams) {
  if (asked.get('for') === 'backup') return '?for=backup'
  if (asked.get('for') === 'invitation')
    return `?${new URLSearchParams({ for: 'invitation', key: (asked.get('key') ?? '').slice(0, 100) })}`
  return ''
}
