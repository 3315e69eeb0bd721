import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import pino from 'pino'
import { createServer as createViteServer } from 'vite'
import { mailerOf } from '../app/mail/mailer.server.ts'
import { startDelivering } from '../app/mail/outbox.server.ts'
import { spaceOf } from '../server/disk-space.ts'
import { openSite } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { readOrMakeSecret } from '../server/secret.ts'
import { readSettings } from '../server/settings.ts'
import { backUpInAnotherProcess, freshBackup, lastBackup } from '../server/tasks/backups.ts'

prepareProcess()
const settings = readSettings(process.env)
const db = await openSite(settings, { serving: true })
const secret = readOrMakeSecret(settings.dataFolder)
const mailer = mailerOf(settings)
const log = pino({ level: 'warn' })
startDelivering({ db, clock: Date.now, mailer, log, ownerEmail: settings.ownerEmail })
const vite = await createViteServer({ appType: 'custom', server: { middlewareMode: true } })

type Site = typeof import('../server/app.ts')
let built: { from: Site; app: ReturnType<Site['createApp']> } | undefined

const listen = getRequestListener(async (request) => {
  const from = (await vite.ssrLoadModule('server/app.ts')) as Site
  // A code change loads a new module, so the app and its live streams are recreated.
  if (built?.from !== from) {
    await from.fillSampleShop(db, { wanted: settings.sampleShop, now: Date.now() })
    const live = from.createLive(db)
    const world = {
      db,
      clock: Date.now,
      log,
      mailer,
      secret,
      identity: await from.identityOf(db, settings.publicOrigin),
      settings,
      lastBackup: () => lastBackup(settings.dataFolder),
      freshBackup: (signal: AbortSignal) =>
        freshBackup(settings.dataFolder, (file) => backUpInAnotherProcess(file, signal)),
      space: () => spaceOf(settings),
    }
    built = { from, app: from.createApp({ ...world, live }) }
  }
  const response = await built.app.fetch(request)
  // Vite injects its own scripts and styles into the page.
  response.headers.delete('content-security-policy')
  return response
})

createHttpServer((request: IncomingMessage, response: ServerResponse) => {
  vite.middlewares(request, response, () => listen(request, response))
}).listen(settings.port, settings.host, () => console.log(`開発中のサイト: http://localhost:${settings.port}`))
