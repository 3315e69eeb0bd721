import type { MiddlewareHandler } from 'hono'
import { cookieOf, readCookie } from '../../app/accounts/cookies.server.ts'
import { isPostgres } from '../../db/engine.ts'
import { withCommitMark } from '../../db/transaction.ts'
import type { Env, SiteDependencies } from './request-dependencies.ts'

const COOKIE = 'saved'
// In seconds: longer than a page is cached, and longer than the time until a dead channel connection is detected.
const MAX_AGE = 60

/** State of the visitor's recent save. `received`: this process has invalidated its cached pages since the save. */
type SaveState = 'none' | 'received' | 'pending'

/**
 * Creates the cookie that shows authors their own saves on every process. Only PostgreSQL sites can have several
 * processes and need the cookie.
 */
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
