import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import pino from 'pino'
import { createServer as createViteServer } from 'vite'
import { prepareProcess } from '../server/prepare-process.ts'
import { readSettings } from '../server/settings.ts'

type Module<Path extends keyof Modules> = Promise<Modules[Path]>
type Modules = {
  'app/mail/outbox.server.ts': typeof import('../app/mail/outbox.server.ts')
  'app/mail/outbox-queue.server.ts': typeof import('../app/mail/outbox-queue.server.ts')
  'server/app.ts': typeof import('../server/app.ts')
  'server/dependencies.ts': typeof import('../server/dependencies.ts')
}

prepareProcess()
const settings = readSettings(process.env)
const log = pino({ level: 'warn' })
const vite = await createViteServer({ appType: 'custom', server: { middlewareMode: true } })
const load = <Path extends keyof Modules>(path: Path) => vite.ssrLoadModule(path) as Module<Path>

type CreateApp = Modules['server/app.ts']['createApp']
let openedSite: { from: CreateApp; site: ReturnType<typeof openSite> } | undefined

// Vite loads all modules of the server, so that each module exists once, as in the bundle.
async function openSite(createApp: CreateApp) {
  const dependencies = await (await load('server/dependencies.ts')).openDependencies(settings, log)
  const { createMailQueue } = await load('app/mail/outbox.server.ts')
  const { startQueue } = await load('app/mail/outbox-queue.server.ts')
  const stopDelivery = startQueue(createMailQueue({ ...dependencies, ownerEmail: settings.ownerEmail }))
  const close = async () => {
    await Promise.all([dependencies.live.close(), stopDelivery()])
    await dependencies.db.destroy()
  }
  return { app: createApp(dependencies), close }
}

const listen = getRequestListener(async (request, env) => {
  const { createApp } = await load('server/app.ts')
  // A code change loads a new module, so the site and its live streams are recreated.
  if (openedSite?.from !== createApp) {
    const previousSite = openedSite?.site
    openedSite = { from: createApp, site: openSite(createApp) }
    await openedSite.site.catch((error) => {
      openedSite = undefined
      throw error
    })
    void previousSite?.then(({ close }) => close())
  }
  const { app } = await openedSite.site
  const response = await app.fetch(request, env)
  // Vite injects its own scripts and styles into the page, which the policy would block.
  response.headers.delete('content-security-policy')
  return response
})

createHttpServer((request: IncomingMessage, response: ServerResponse) => {
  vite.middlewares(request, response, () => listen(request, response))
}).listen(settings.port, settings.host, () => console.log(`開発中のサイト: http://localhost:${settings.port}`))
