import './as-built.ts'
import cluster from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import { mailerOf, mailFolder } from '../app/mail/mailer.server.ts'
import { openChannel } from '../db/channel.ts'
import { claimFolder } from './claim.ts'
import { spaceOf } from './disk-space.ts'
import { inOneSentence } from './in-one-sentence.ts'
import { listen } from './listen.ts'
import { openLog, openTerminal } from './log.ts'
import { openSite, placeOf } from './open-site.ts'
import { hostInUrl, isLoopback, mailOriginOf } from './origin.ts'
import { prepareProcess } from './prepare-process.ts'
import { speaksForSite, startProcesses } from './processes.ts'
import { readOrMakeSecret } from './secret.ts'
import { readSettings, type Settings } from './settings.ts'
import { startCopyingNights } from './tasks/backup-copies.ts'
import { backUpInAnotherProcess, freshBackup, lastBackup, startNightlyBackups } from './tasks/backups.ts'

// For requests and e-mails under way at shutdown, such as an upload over a slow line.
const LONGEST_STOP_MS = 10_000

// The site continues if its output cannot be written, as on a full disk.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

try {
  await start()
} catch (error) {
  console.error(inOneSentence(error))
  process.exit(1)
}

async function start() {
  prepareProcess()
  const settings = readSettings(process.env)
  const { dataFolder, holidaysUrl, ownerEmail } = settings
  const clock = Date.now
  const log = openLog(settings.logLevel, process.stdout.isTTY ? await openTerminal(process.stdout) : process.stdout)
  if (settings.processes > 1 && cluster.isPrimary) return startProcesses(settings.processes, log)
  if (!settings.databaseUrl) claimFolder(dataFolder)
  const db = await openSite(settings, { serving: true })
  // After the database, because `openSite` takes a secret without a database for a lost site.
  const secret = readOrMakeSecret(dataFolder)

  const bundle = '../build/server/app.js'
  const built: typeof import('./app.ts') = await import(bundle)
  await built.fillSampleShop(db, { wanted: settings.sampleShop, now: clock() })
  const begunAt = await built.siteBegunAt(db)
  const identity = await built.identityOf(db, settings.publicOrigin)

  const live = built.createLive(db, openChannel(settings.databaseUrl, { db, log }))
  const mailer = mailerOf(settings)
  const world = { db, clock, log, live, mailer, secret, identity, settings }
  const app = built.createApp({
    ...world,
    lastBackup: () => lastBackup(dataFolder),
    freshBackup: (signal) => freshBackup(dataFolder, (file) => backUpInAnotherProcess(file, signal)),
    space: () => spaceOf(settings),
  })
  const { close, port } = await listen(app, { port: settings.port, hostname: settings.host })
  const origin = settings.publicOrigin ?? `http://${hostInUrl(settings.host)}:${port}`

  const repeated = [
    built.startDelivering({ db, clock, mailer, log, ownerEmail }),
    built.startTellingOfEvents(
      { db, clock, provenAddresses: built.provenAddressesIn(db), origin: mailOriginOf(origin, { ...settings, port }) },
      log,
    ),
    built.startSweepingPictures({ db, kinds: built.kinds, clock, log }),
    built.startDeletingExpiredMessages({ db, clock, log }),
    startNightlyBackups({
      dataFolder,
      begunAt,
      clock,
      log,
      make: (signal) => backUpInAnotherProcess('--night', signal, log),
    }),
  ]
  if (settings.backupCopyFolder) {
    const copy = (signal: AbortSignal) => backUpInAnotherProcess('--copy', signal, log)
    repeated.push(startCopyingNights({ dataFolder, log, copy }))
  }
  if (holidaysUrl) {
    const onChange = () => live.announce('hours')
    repeated.push(built.startRefreshingHolidays({ db, url: holidaysUrl, clock, log, onChange }))
  }

  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    const done = Promise.all([close(), live.close(), ...repeated.map((stopOne) => stopOne())])
    await Promise.race([done.then(() => db.destroy()), pause(LONGEST_STOP_MS)])
    process.exit(0)
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)

  if (!speaksForSite()) return
  console.log(`サイトを開きました: ${origin}`)
  try {
    const key = await built.makeWelcomeKey(db, clock())
    if (key) console.log(await firstAdministratorInWords(`${origin}/welcome?key=${key}`, settings))
  } catch (err) {
    // The site already serves visitors.
    log.error({ err }, 'setup key not created')
    console.error(`はじめての設定のアドレスを作れませんでした。サイトは動いています。${inOneSentence(err)}`)
  }
  console.log(`メール: ${mailInWords(settings)}`)
  console.log(`データの場所: ${settings.databaseUrl ? 'PostgreSQL（DATABASE_URL）' : placeOf(settings).file}`)
}

async function firstAdministratorInWords(address: string, { ownerEmail }: Settings) {
  const first = `まだ管理者の方がいません。次のアドレスを開いて、はじめての設定をしてください。\n\n  ${address}\n`
  // A QR code for a phone, unless only this machine can open the URL.
  const isReached = process.stdout.isTTY && !isLoopback(new URL(address).hostname)
  const picture = isReached ? `\n${(await import('uqr')).renderUnicodeCompact(address)}\n` : ''
  const who = ownerEmail
    ? `管理者になれるのは、設定 OWNER_EMAIL の ${ownerEmail} の方だけです。`
    : '設定をしないあいだは、最初にメンバー登録をした方が管理者になります。ほかの方に先を越されないよう、設定 OWNER_EMAIL に管理者になる方のメールアドレスを書いてください。'
  return `${first}${picture}\nこのアドレスは一度だけ使え、サイトを始めるたびに新しくなります。${who}`
}

function mailInWords({ smtpUrl, dataFolder }: Settings) {
  if (smtpUrl) return `${new URL(smtpUrl).host} から送ります`
  return `送る設定（SMTP_URL）がないため、受信箱と ${mailFolder(dataFolder)} に残します`
}
