import type { Context } from 'hono'
import { timingSafeEqual } from 'hono/utils/buffer'
import { countAttempt, readWait, tooManyAttempts } from '../../app/platform/attempts.server.ts'
import { withTimeout } from '../../app/platform/with-timeout.server.ts'
import type { Metrics } from '../metrics.ts'
import type { Env, HandlerDependencies } from './request-dependencies.ts'

const NO_STORE = { 'cache-control': 'no-store' }

/** Returns the handler of the metrics. Limits the attempts to guess the token, unless the database does not respond. */
export function handleMetrics({ db, clock, settings, databaseTimeouts }: HandlerDependencies, metrics: Metrics) {
  return async (c: Context<Env>) => {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? []
    const isPermitted = token !== '' && (await timingSafeEqual(token, settings.metricsToken ?? ''))
    const source = { address: c.var.auth.address, now: clock() }
    // A scrape with the token writes nothing, and succeeds while the database is away.
    const checkLimit = async () => (isPermitted ? readWait : countAttempt)(db, 'metrics', source)
    const wait = await withTimeout(databaseTimeouts.monitoring, checkLimit, () => null).catch(() => null)
    if (wait) return c.text(tooManyAttempts(wait), 429, { ...NO_STORE, 'retry-after': `${wait * 60}` })
    if (!isPermitted)
      return c.text('トークンが正しくありません。', 401, { ...NO_STORE, 'www-authenticate': 'Bearer realm="metrics"' })
    return c.text(await metrics.collect(), 200, { ...NO_STORE, 'content-type': metrics.contentType })
  }
}
