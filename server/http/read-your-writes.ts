import type { MiddlewareHandler } from 'hono'
import { cookieOf, readCookie } from '../../app/accounts/cookies.server.ts'
import { isPostgres } from '../../db/engine.ts'
import { withCommitMark } from '../../db/transaction.ts'
import type { Env, SiteDependencies } from './request-dependencies.ts'

const COOKIE = 'saved'
// In seconds: longer than a page is cached, and longer than a dead channel connection remains unnoticed.
const MAX_AGE = 60

/** `told`: this process has received the browser's last save and invalidated its cached pages. */
type OwnSave = 'none' | 'told' | 'untold'

/** Read-your-writes cookie. Only sites with several processes need it, and those use PostgreSQL. */
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
