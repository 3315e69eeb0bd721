import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import pino from 'pino'
import { mailerOf, mailFolder } from '../app/mail/mailer.server.ts'
import { startDelivering } from '../app/mail/outbox.server.ts'
import { openChannel } from '../db/channel.ts'
import { openDatabase } from '../db/open.ts'
import { isLoopback } from './origin.ts'
import { readOrMakeSecret } from './secret.ts'
import { readSettings, type Settings } from './settings.ts'

// React reads it when it loads: without it the development build answers, at half the speed.
process.env.NODE_ENV = 'production'
process.chdir(join(import.meta.dirname, '..'))

try {
  await start()
} catch (error) {
  console.error(inOneSentence(error))
  process.exit(1)
}

async function start() {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const settings = readSettings(process.env)
  const log = pino({ level: settings.logLevel })
  const secret = readOrMakeSecret(settings.dataFolder)
  const file = join(settings.dataFolder, 'site.db')
  const db = await openDatabase({ url: settings.databaseUrl, file })

  const bundle = '../build/server/app.js'
  const {
    accountsIn,
    createApp,
    createLive,
    fillSampleShop,
    hasHadAdministrator,
    keepHolidaysFresh,
    keepSweepingPictures,
    startTellingOfEvents,
  }: typeof import('./app.ts') = await import(bundle)
  await fillSampleShop(db, { wanted: settings.sampleShop, now: Date.now() })

  const live = createLive(db, openChannel(settings.databaseUrl, { db, log }))
  const mailer = mailerOf(settings)
  const app = createApp({ db, clock: Date.now, log, live, mailer, secret, settings })
  const server = serve({ fetch: app.fetch, port: settings.port, hostname: settings.host })
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject))

  const port = (server.address() as { port: number }).port
  const shown = isLoopback(settings.host) ? 'localhost' : settings.host
  const origin = settings.publicOrigin ?? `http://${shown}:${port}`

  if (settings.holidaysUrl) {
    keepHolidaysFresh({
      db,
      url: settings.holidaysUrl,
      clock: Date.now,
      log,
      onChange: () => live.announce('hours'),
    })
  }
  const stopDelivering = startDelivering({ db, clock: Date.now, mailer, log, ownerEmail: settings.ownerEmail })
  const stopSweeping = keepSweepingPictures({ db, clock: Date.now, log })
  const { provenAddresses } = accountsIn(db)
  const stopTelling = startTellingOfEvents({ db, clock: Date.now, provenAddresses, origin }, log)

  const stop = async () => {
    stopTelling()
    const done = Promise.all([stopDelivering(), stopSweeping()])
    await live.close()
    server.close(() => done.then(() => db.destroy()).then(() => process.exit(0)))
    if ('closeIdleConnections' in server) server.closeIdleConnections()
    setTimeout(() => process.exit(0), 5000).unref()
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)

  console.log(`サイトを開きました: ${origin}`)
  if (!settings.ownerEmail && !(await hasHadAdministrator(db))) {
    console.log('最初にメンバー登録をした方が管理者になります。決めておくには、設定 OWNER_EMAIL をお使いください。')
  }
  console.log(`メール: ${mailInWords(settings)}`)
  console.log(`データの場所: ${settings.databaseUrl ? 'PostgreSQL（DATABASE_URL）' : file}`)
}

function mailInWords({ smtpUrl, dataFolder }: Settings) {
  if (smtpUrl) return `${new URL(smtpUrl).host} から送ります`
  return `送る設定（SMTP_URL）がないため、受信箱と ${mailFolder(dataFolder)} に残します`
}

function inOneSentence(error: unknown) {
  const { code, message, syscall, path } = error as NodeJS.ErrnoException
  if (syscall === 'listen' && code === 'EADDRINUSE')
    return `設定 PORT の番号はほかのプログラムが使っています。別の番号にしてください（${message}）。`
  if (syscall === 'listen') return `設定 HOST と PORT の場所では待ち受けられません（${message}）。`
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return `データベースのファイルが壊れています。控えから戻してください（${message}）。`
  if (code?.startsWith('SQLITE_CANTOPEN') || code === 'SQLITE_READONLY')
    return `データベースのファイルを開けません。置き場所の権限をご確認ください（${message}）。`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST')
    return `データの置き場所に書き込めません: ${path ?? message}`
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || /^(?:28|3D|57)/.test(code ?? ''))
    return `設定 DATABASE_URL のデータベースにつながりません（${code} ${message}）。`
  return message
}
