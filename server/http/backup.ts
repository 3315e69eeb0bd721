import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Context } from 'hono'
import { formatTimestamp } from '../../app/dates/japan.ts'
import { backupErrorUrl } from '../../app/owner/backup-download.ts'
import { noteCopy } from '../../app/owner/copies.server.ts'
import { mayTakeBackups, refusedAdministrators } from '../../app/permissions.ts'
import type { Env, HandlerDependencies } from './request-dependencies.ts'

const NO_STORE = { 'cache-control': 'private, no-store' }

export function handleBackup(deps: HandlerDependencies) {
  const { db, clock, log, freshBackup } = deps
  const beginDownload = createDownloadQueue()

  return async (c: Context<Env>) => {
    // A HEAD request must not make a backup.
    if (c.req.method === 'HEAD') return c.body(null, 405, { allow: 'GET' })
    const redirectWithError = (...args: Parameters<typeof backupErrorUrl>) => {
      c.header('cache-control', NO_STORE['cache-control'])
      return c.redirect(backupErrorUrl(...args), 303)
    }
    const refusal = await refusalFor(c, deps, c.var.auth)
    if (refusal) return refusal
    const session = await c.var.auth.session()
    const isPermitted = await c.var.auth.isPermitted('backup', c.req.query('permit') ?? '')
    if (!session || !isPermitted) return redirectWithError('over')
    const download = await beginDownload(session.id, c.req.raw.signal)
    if (!download) return redirectWithError('busy')
    let stream: ReturnType<FileHandle['createReadStream']> | undefined
    try {
      const madeAt = clock()
      const file = await freshBackup(download.signal)
      stream = file.createReadStream().once('close', download.end)
      download.signal.addEventListener('abort', () => stream?.destroy())
      // The session or the permission may have ended while the backup was made.
      const refusedAfter = await refusalFor(c, deps, deps.freshAuth(c))
      if (refusedAfter || download.signal.aborted) {
        stream.destroy()
        return refusedAfter ?? c.body(null, 408)
      }
      // If a download is interrupted during a read of the file, 'finish' follows 'close'.
      c.env.outgoing?.once('finish', () => {
        if (download.signal.aborted) return
        noteCopy(db, 'download', { madeAt, accountId: session.accountId }).catch((err) =>
          log.error({ err }, 'backup download not recorded'),
        )
      })
      return c.body(Readable.toWeb(stream) as ReadableStream, 200, {
        ...NO_STORE,
        'content-type': 'application/octet-stream',
        // A proxy that buffers the file would make a lost download count as sent.
        'x-accel-buffering': 'no',
        'content-length': String((await file.stat()).size),
        'content-disposition': `attachment; filename="${fileName(c.var.origin, madeAt)}"`,
      })
    } catch (err) {
      stream?.destroy()
      download.end()
      if (download.signal.aborted) return c.body(null, 408)
      const reference = crypto.randomUUID().slice(0, 8)
      log.error({ err, reference }, 'backup not made')
      return redirectWithError('failed', reference)
    }
  }
}

async function refusalFor(c: Context<Env>, { visitorOf }: HandlerDependencies, auth: Env['Variables']['auth']) {
  const visitor = await visitorOf(c.req.raw, auth)
  if (mayTakeBackups(visitor)) return null
  return c.text(refusedAdministrators(visitor), visitor ? 403 : 401, NO_STORE)
}

function fileName(origin: string, madeAt: number) {
  return `${new URL(origin).hostname.replaceAll(/[^\w.-]/g, '')}-${formatTimestamp(madeAt)}.noren`
}

// A new download of the same session aborts the previous download, whose connection may be lost.
function createDownloadQueue() {
  let current: { sessionId: string; controller: AbortController; ended: Promise<void> } | null = null

  return async (sessionId: string, signal: AbortSignal) => {
    while (current) {
      if (current.sessionId !== sessionId) return null
      current.controller.abort()
      await current.ended
    }
    const controller = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const entry = { sessionId, controller, ended }
    current = entry
    const end = () => {
      if (current === entry) current = null
      resolve()
    }
    return { signal: AbortSignal.any([signal, controller.signal]), end }
  }
}
