import type { Context } from 'hono'
import { isRegistrationOpen } from '../../app/accounts/registration.server.ts'
import type { SignInError } from '../../app/accounts/sign-in-errors.ts'
import { countAttempt } from '../../app/platform/attempts.server.ts'
import { findInvitation } from '../../app/staff/invitations.server.ts'
import type { Env, HandlerDependencies } from './request-dependencies.ts'

// These routes are handlers, not loaders, because a loader holds a rendering slot and Google may respond slowly.

export function handleGoogleStart({ db, clock }: HandlerDependencies) {
  const mayRegister = async (query: URLSearchParams) =>
    query.get('for') === 'invitation'
      ? (await findInvitation(db, null, query.get('key') ?? '', clock())).state === 'open'
      : isRegistrationOpen(db)
  return async (c: Context<Env>) => {
    const { auth } = c.var
    const query = new URL(c.req.url).searchParams
    const returnQuery = query.get('window') === 'popup' ? '?window=popup' : returnQueryOf(query)
    const returnPath = `/login/finished${returnQuery}`
    const errorUrl = (error: SignInError) => `${returnPath}${returnQuery ? '&' : '?'}problem=${error}`

    if (!auth.hasGoogle) return redirectTo(c, errorUrl('noKey'))
    const retryAfter = await countAttempt(db, 'google', { address: auth.address, now: clock() })
    if (retryAfter) return redirectTo(c, errorUrl('tries'))
    const reauthenticates = isReauthentication(query.get('for'))
    // A person who reauthenticates may choose the wrong account at Google.
    const registers = !reauthenticates && (await mayRegister(query))
    const url = await auth.startGoogle(returnPath, { registers, reauthenticates })
    return redirectTo(c, url ?? errorUrl('unreachable'))
  }
}

export async function handleGoogleReturn(c: Context<Env>) {
  return redirectTo(c, await c.var.auth.finishGoogle())
}

function redirectTo(c: Context<Env>, location: string) {
  c.header('cache-control', 'private, no-store')
  for (const cookie of c.var.auth.cookies) c.header('set-cookie', cookie, { append: true })
  return c.redirect(location)
}

function isReauthentication(target: string | null) {
  return target === 'backup' || target === 'account'
}

function returnQueryOf(query: URLSearchParams) {
  const target = query.get('for') ?? ''
  if (isReauthentication(target)) return `?for=${target}`
  if (target === 'invitation')
    return `?${new URLSearchParams({ for: 'invitation', key: (query.get('key') ?? '').slice(0, 100) })}`
  return ''
}
