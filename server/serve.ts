import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { mailFolder } from '../app/mail/mailer.server.ts'
import { createSetupKey } from '../app/owner/welcome.server.ts'
import { siteCreatedAt } from '../app/settings/site.server.ts'
import packageJson from '../package.json' with { type: 'json' }
import { createApp } from './app.ts'
import { openDependencies } from './dependencies.ts'
import { errorSentence } from './error-sentence.ts'
import { lockFolder } from './folder-lock.ts'
import { CONNECTION_LIMITS, listen } from './listen.ts'
import { databaseLocationOf } from './open-site.ts'
import { hostInUrl, isLoopback, mailOriginOf } from './origin.ts'
import { isFirstProcess } from './processes.ts'
import type { Settings } from './settings.ts'
import { startRenderingLastPages } from './tasks/last-pages.ts'
import { startTasks } from './tasks/start-tasks.ts'

// Maximum wait for unfinished requests and e-mails at shutdown, such as an upload over a slow connection.
const SHUTDOWN_TIMEOUT_MS = 10_000

export async function serve(settings: Settings, log: Logger) {
  if (!settings.databaseUrl) lockFolder(settings.dataFolder)
  const deps = await openDependencies(settings, log)
  const { clock, db, live } = deps
  const begunAt = await siteCreatedAt(db)
  const app = createApp(deps)
  const { close, port } = await listen(app, { port: settings.port, hostname: settings.host }, CONNECTION_LIMITS)
  if (isFirstProcess()) log.info({ version: packageJson.version }, 'site opened')
  const origin = settings.publicOrigin ?? `http://${hostInUrl(settings.host)}:${port}`

  const stopTasks = [
    ...startTasks(deps, { begunAt, mailOrigin: mailOriginOf(origin, { ...settings, port }) }),
    startRenderingLastPages(app, { db, log, origin }),
  ]

  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    const stopped = Promise.all([close(), live.close(), ...stopTasks.map((stopTask) => stopTask())])
    await Promise.race([stopped.then(() => db.destroy()), pause(SHUTDOWN_TIMEOUT_MS)])
    process.exit(0)
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)

  if (!isFirstProcess()) return
  console.log(`サイトを開きました: ${origin}`)
  try {
    const key = await createSetupKey(db, clock())
    if (key) console.log(await setupSentence(`${origin}/welcome?key=${key}`, settings))
  } catch (err) {
    // The site already serves visitors, so this error does not stop the process.
    log.error({ err }, 'setup key not created')
    console.error(`はじめての設定のアドレスを作れませんでした。サイトは動いています。${errorSentence(err)}`)
  }
  console.log(`メール: ${mailSentence(settings)}`)
  console.log(
    `データの場所: ${settings.databaseUrl ? 'PostgreSQL（DATABASE_URL）' : databaseLocationOf(settings).file}`,
  )
}

async function setupSentence(url: string, { ownerEmail }: Settings) {
  const urlSentence = `まだ管理者の方がいません。次のアドレスを開いて、はじめての設定をしてください。\n\n  ${url}\n`
  const isReachable = process.stdout.isTTY && !isLoopback(new URL(url).hostname)
  const qrCode = isReachable ? `\n${(await import('uqr')).renderUnicodeCompact(url)}\n` : ''
  const ownerSentence = ownerEmail
    ? `管理者になれるのは、設定 OWNER_EMAIL の ${ownerEmail} の方だけです。`
    : 'はじめての設定が終わるまでは、最初にメンバー登録をした方が管理者になります。ほかの方が先に管理者にならないよう、設定 OWNER_EMAIL に管理者になる方のメールアドレスを書いてください。'
  return `${urlSentence}${qrCode}\nこのアドレスは一度だけ使え、サイトを起動するたびに新しくなります。${ownerSentence}`
}

function mailSentence({ smtpUrl, dataFolder }: Settings) {
  if (smtpUrl) return `${new URL(smtpUrl).host} から送ります`
  return `送る設定（SMTP_URL）がないため、受信箱と ${mailFolder(dataFolder)} に残します`
}
