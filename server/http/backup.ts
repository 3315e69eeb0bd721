import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Context } from 'hono'
import { formatTimestamp } from '../../app/dates/japan.ts'
import { backupErrorUrl } from '../../app/owner/backup-download.ts'
import { noteCopy } from '../../app/owner/copies.server.ts'
import { mayTakeBackups, refusedAdministrators } from '../../app/permissions.ts'
import type { Env, RequestDependencies, SiteDependencies } from './request-dependencies.ts'

const noStore = { 'cache-control': 'private, no-store' }

export function handleBackup({ db, clock, log, freshBackup }: SiteDependencies, asking: RequestDependencies) {
  const begin = oneAtATime()

  return async (c: Context<Env>) => {
    // A HEAD request must not make a backup.
    if (c.req.method === 'HEAD') return c.body(null, 405, { allow: 'GET' })
    const elsewhere = (...trouble: Parameters<typeof backupErrorUrl>) => {
      c.header('cache-control', noStore['cache-control'])
      return c.redirect(backupErrorUrl(...trouble), 303)
    }
    const refusal = await refusalFor(c, asking, c.var.auth)
    if (refusal) return refusal
    const session = await c.var.auth.session()
    const isPermitted = await c.var.auth.isPermitted('backup', c.req.query('permit') ?? '')
    if (!session || !isPermitted) return elsewhere('over')
    const taking = await begin(session.id, c.req.raw.signal)
    if (!taking) return elsewhere('busy')
    let stream: ReturnType<FileHandle['createReadStream']> | undefined
    try {
      const madeAt = clock()
      const file = await freshBackup(taking.signal)
      stream = file.createReadStream().once('close', taking.end)
      taking.signal.addEventListener('abort', () => stream?.destroy())
      // The session or the permission may have ended while the backup was made.
      const late = await refusalFor(c, asking, asking.again(c))
      if (late || taking.signal.aborted) {
        stream.destroy()
        return late ?? c.body(null, 408)
      }
      c.env.outgoing?.once('finish', () => {
        noteCopy(db, 'download', { madeAt, accountId: session.accountId }).catch((err) =>
          log.error({ err }, 'backup download not recorded'),
        )
      })
      return c.body(Readable.toWeb(stream) as ReadableStream, 200, {
        ...noStore,
        'content-type': 'application/octet-stream',
        'content-length': String((await file.stat()).size),
        'content-disposition': `attachment; filename="${fileName(c.var.origin, madeAt)}"`,
      })
    } catch (err) {
      stream?.destroy()
      taking.end()
      if (taking.signal.aborted) return c.body(null, 408)
      const reference = crypto.randomUUID().slice(0, 8)
      log.error({ err, reference }, 'backup not made')
      return elsewhere('failed', reference)
    }
  }
}

async function refusalFor(c: Context<Env>, asking: RequestDependencies, auth: Env['Variables']['auth']) {
  const visitor = await asking.visitorOf(c.req.raw, auth)
  if (mayTakeBackups(visitor)) return null
  return c.text(refusedAdministrators(visitor), visitor ? 403 : 401, noStore)
}

function fileName(origin: string, madeAt: number) {
  return `${new URL(origin).hostname.replaceAll(/[^\w.-]/g, '')}-${formatTimestamp(madeAt)}.noren`
}

// A new download of the same session aborts the previous one, whose connection may be lost.
function oneAtATime() {
  let now: { who: string; cut: AbortController; ended: Promise<void> } | null = null

  return async (who: string, signal: AbortSignal) => {
    while (now) {
      if (now.who !== who) return null
      now.cut.abort()
      await now.ended
    }
    const cut = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const own = { who, cut, ended }
    now = own
    const end = () => {
      if (now === own) now = null
      resolve()
    }
    return { signal: AbortSignal.any([signal, cut.signal]), end }
  }
}
