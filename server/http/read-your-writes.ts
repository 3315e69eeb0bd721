import type { MiddlewareHandler } from 'hono'
import { cookieOf, readCookie } from '../../app/accounts/cookies.server.ts'
import { isPostgres } from '../../db/engine.ts'
import { withCommitMark } from '../../db/transaction.ts'
import type { Env, SiteDependencies } from './request-dependencies.ts'

const COOKIE = 'saved'
// In seconds. Longer than a page is cached, and longer than a dead channel connection stays undetected.
const MAX_AGE = 60

/** State of the browser's last save. `received`: this process knows the save and has invalidated its cached pages. */
type OwnSave = 'none' | 'told' | 'untold'

/** Creates the read-your-writes cookie. Only sites with several processes need it, and those use PostgreSQL. */
export function createReadYourWrites({ db, live }: Pick<SiteDependencies, 'db' | 'live'>) {
  const maySitBeside = isPostgres(db)

  const mark: MiddlewareHandler<Env> = async (c, next) => {
    const { mark } = await withCommitMark(next)
    if (mark) c.header('set-cookie', cookieOf(c.var.origin, COOKIE, mark, MAX_AGE), { append: true })
  }

  function lately(request: Request, origin: string): OwnSave {
    const mark = maySitBeside && readCookie(request, origin, COOKIE)
    if (!mark) return 'none'
    return live.hasTold(mark) ? 'told' : 'untold'
  }

  return { mark, lately }
}
