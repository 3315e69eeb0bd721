import type { MiddlewareHandler } from 'hono'
import { cookiePrefix } from '../../app/accounts/better-auth.server.ts'
import { isPostgres } from '../../db/engine.ts'
import { withMark } from '../../db/transaction.ts'
import type { Env, World } from './asking.ts'

// Longer than a page is cached, and longer than a dead channel connection remains unnoticed.
const LASTS_S = 60

/** `told`: this process has received the browser's last save and invalidated its cached pages. */
type OwnSave = 'none' | 'told' | 'untold'

/** Read-your-writes cookie. Only sites with several processes need it, and those use PostgreSQL. */
export function createOwnSaves({ db, live }: Pick<World, 'db' | 'live'>) {
  const maySitBeside = isPostgres(db)
  const nameAt = (origin: string) => `${cookiePrefix(origin)}.saved`

  const mark: MiddlewareHandler<Env> = async (c, next) => {
    const { mark } = await withMark(next)
    if (mark) c.header('set-cookie', cookieOf(nameAt(c.var.origin), mark, c.var.origin), { append: true })
  }

  function lately({ headers }: Request, origin: string): OwnSave {
    const cookies = maySitBeside ? headers.get('cookie') : null
    const mark = cookies && new RegExp(`(?:^|; )${nameAt(origin)}=([^;]*)`).exec(cookies)?.[1]
    if (!mark) return 'none'
    return live.hasTold(mark) ? 'told' : 'untold'
  }

  return { mark, lately }
}

function cookieOf(name: string, mark: string, origin: string) {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${name}=${mark}; Max-Age=${LASTS_S}; Path=/; HttpOnly; SameSite=Lax${secure}`
}
