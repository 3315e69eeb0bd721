import type { Context } from 'hono'
import { isRegistrationOpen } from '../../app/accounts/registration.server.ts'
import type { SignInError } from '../../app/accounts/sign-in-errors.ts'
import { countAttempt } from '../../app/platform/attempts.server.ts'
import { findInvitation } from '../../app/staff/invitations.server.ts'
import type { Env, SiteDependencies } from './request-dependencies.ts'

// Handlers, not loaders, because a loader holds a rendering slot and Google may be slow.

/** Redirects to the sign-in of Google. */
export function handleGoogleStart({ db, clock }: SiteDependencies) {
  const registers = async (asked: URLSearchParams) =>
    asked.get('for') === 'invitation'
      ? (await findInvitation(db, null, asked.get('key') ?? '', clock())).state === 'open'
      : isRegistrationOpen(db)
  return async (c: Context<Env>) => {
    const { auth } = c.var
    const asked = new URL(c.req.url).searchParams
    const how = asked.get('window') === 'popup' ? '?window=popup' : wantedFor(asked)
    const back = `/login/finished${how}`
    const fail = (problem: SignInError) => `${back}${how ? '&' : '?'}problem=${problem}`

    if (!auth.hasGoogle) return redirectTo(c, fail('noKey'))
    const wait = await countAttempt(db, 'google', { address: auth.address, now: clock() })
    if (wait) return redirectTo(c, fail('tries'))
    const url = await auth.startGoogle(back, { registers: await registers(asked) })
    return redirectTo(c, url ?? fail('unreachable'))
  }
}

/** Signs in the visitor whom Google has redirected back. */
export async function handleGoogleReturn(c: Context<Env>) {
  return redirectTo(c, await c.var.auth.finishGoogle())
}

function redirectTo(c: Context<Env>, location: string) {
  c.header('cache-control', 'private, no-store')
  for (const cookie of c.var.auth.cookies) c.header('set-cookie', cookie, { append: true })
  return c.redirect(location)
}

function wantedFor(asked: URLSearchParams) {
  if (asked.get('for') === 'backup') return '?for=backup'
  if (asked.get('for') === 'invitation')
    return `?${new URLSearchParams({ for: 'invitation', key: (asked.get('key') ?? '').slice(0, 100) })}`
  return ''
}
