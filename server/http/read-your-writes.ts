import type { MiddlewareHandler } from 'hono'
import { cookieOf, readCookie } from '../../app/accounts/cookies.server.ts'
import { isPostgres } from '../../db/engine.ts'
import { withCommitMark } from '../../db/transaction.ts'
import type { Env, SiteDependencies } from './request-dependencies.ts'

const COOKIE = 'saved'
// In seconds. Longer than a page is cached, and longer than a dead channel connection stays undetected.
const MAX_AGE = 60

/** `received`: this process has invalidated its cached pages. */
type SaveState = 'none' | 'received' | 'pending'

/** Only sites with several processes need the cookie, and those use PostgreSQL. */
export function createReadYourWrites({ db, live }: Pick<SiteDependencies, 'db' | 'live'>) {
  const hasOtherProcesses = isPostgres(db)

  const setCookie: MiddlewareHandler<Env> = async (c, next) => {
    const { mark: commitId } = await withCommitMark(next)
    if (commitId) c.header('set-cookie', cookieOf(c.var.origin, COOKIE, commitId, MAX_AGE), { append: true })
  }

  function readSaveState(request: Request, origin: string): SaveState {
    const commitId = hasOtherProcesses && readCookie(request, origin, COOKIE)
    if (!commitId) return 'none'
    return live.hasPublished(commitId) ? 'received' : 'pending'
  }

  return { setCookie, readSaveState }
}
