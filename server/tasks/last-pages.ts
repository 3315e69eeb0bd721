import type { Hono } from 'hono'
import { listPages } from '../../app/pages/pages.server.ts'
import { repeat } from '../../app/platform/repeat.server.ts'
import { handleAt } from '../http/page-handles.ts'
import type { Env, SiteDependencies } from '../http/request-dependencies.ts'
import { HOUR, MINUTE } from './backups.ts'

/**
 * Renders every page that guests share now and every hour. The page cache then has a recent last version of each page
 * for outages, also if no guest has opened the page in this process.
 */
export function startRenderingLastPages(
  app: Pick<Hono<Env>, 'request'>,
  { db, log, origin }: Pick<SiteDependencies, 'db' | 'log'> & { origin: string },
) {
  const render = async (stopping: AbortSignal) => {
    const paths = (await listPages(db)).filter(({ shown, path }) => shown && handleAt(path).cache === 'minute')
    for (const { path } of paths) if (!stopping.aborted) await app.request(`${origin}${path}`)
  }
  return repeat(render, {
    every: HOUR,
    afterFailure: 10 * MINUTE,
    failed: (err) => log.warn({ err }, 'last pages not rendered'),
  })
}
