import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { startEventNotices } from '../app/calendar/event-notices.server.ts'
import { startMessageExpiry } from '../app/contact/messages.server.ts'
import { startHolidayRefresh } from '../app/dates/holidays.server.ts'
import { mailFolder } from '../app/mail/mailer.server.ts'
import { startDelivery } from '../app/mail/outbox.server.ts'
import { createSetupKey } from '../app/owner/welcome.server.ts'
import { startRemovingUnusedImages } from '../app/records/images-in-use.server.ts'
import { siteCreatedAt } from '../app/settings/site.server.ts'
import { createApp } from './app.ts'
import { createDependencies } from './dependencies.ts'
import { errorSentence } from './error-sentence.ts'
import { lockFolder } from './folder-lock.ts'
import type { SiteDependencies } from './http/request-dependencies.ts'
import { CONNECTION_LIMITS, listen } from './listen.ts'
import { openSite, placeOf } from './open-site.ts'
import { hostInUrl, isLoopback, mailOriginOf } from './origin.ts'
import { speaksForSite } from './processes.ts'
import { fillSampleShop } from './sample-shop.ts'
import { readOrMakeSecret } from './secret.ts'
import type { Settings } from './settings.ts'
import { startCopyingNights } from './tasks/backup-copies.ts'
import { backUpInAnotherProcess, startNightlyBackups } from './tasks/backups.ts'

// For requests and e-mails under way at shutdown, such as an upload over a slow line.
const LONGEST_STOP_MS = 10_000

/** Opens the database, listens and starts the tasks. Resolves when the site is open. */
export async function serve(settings: Settings, log: Logger) {
  if (!settings.databaseUrl) lockFolder(settings.dataFolder)
  const db = await openSite(settings, { serving: true })
  // After the database, because `openSite` takes a secret without a database for a lost site.
  const secret = readOrMakeSecret(settings.dataFolder)
  const world = await createDependencies({ db, log, secret, settings })
  const { clock, live } = world
  await fillSampleShop(db, { wanted: settings.sampleShop, now: clock() })
  const begunAt = await siteCreatedAt(db)
  const { close, port } = await listen(
    createApp(world),
    { port: settings.port, hostname: settings.host },
    CONNECTION_LIMITS,
  )
  const origin = settings.publicOrigin ?? `http://${hostInUrl(settings.host)}:${port}`

  const repeated = startTasks(world, { begunAt, mailOrigin: mailOriginOf(origin, { ...settings, port }) })

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
    const key = await createSetupKey(db, clock())
    if (key) console.log(await firstAdministratorInWords(`${origin}/welcome?key=${key}`, settings))
  } catch (err) {
    // The site already serves visitors.
    log.error({ err }, 'setup key not created')
    console.error(`はじめての設定のアドレスを作れませんでした。サイトは動いています。${errorSentence(err)}`)
  }
  console.log(`メール: ${mailInWords(settings)}`)
  console.log(`データの場所: ${settings.databaseUrl ? 'PostgreSQL（DATABASE_URL）' : placeOf(settings).file}`)
}

/** Starts what runs on a timer. Returns the functions that stop each task. */
function startTasks(
  { db, clock, log, live, mailer, readVerifiedEmails, recordTypes, settings }: SiteDependencies,
  { begunAt, mailOrigin }: { begunAt: number; mailOrigin: string },
) {
  const { dataFolder, holidaysUrl, ownerEmail } = settings
  const tasks = [
    startDelivery({ db, clock, mailer, log, ownerEmail }),
    startEventNotices({ db, clock, provenAddresses: readVerifiedEmails, origin: mailOrigin }, log),
    startRemovingUnusedImages({ db, kinds: recordTypes, clock, log }),
    startMessageExpiry({ db, clock, log }),
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
    tasks.push(startCopyingNights({ dataFolder, log, copy }))
  }
  if (holidaysUrl) {
    const onChange = () => live.announce('hours')
    tasks.push(startHolidayRefresh({ db, url: holidaysUrl, clock, log, onChange }))
  }
  return tasks
}

async function firstAdministratorInWords(address: string, { ownerEmail }: Settings) {
  const first = `まだ管理者の方がいません。次のアドレスを開いて、はじめての設定をしてください。\n\n  ${address}\n`
  // A QR code for a phone, unless only this machine can open the URL.
  const isReached = process.stdout.isTTY && !isLoopback(new URL(address).hostname)
  const picture = isReached ? `\n${(await import('uqr')).renderUnicodeCompact(address)}\n` : ''
  const who = ownerEmail
    ? `管理者になれるのは、設定 OWNER_EMAIL の ${ownerEmail} の方だけです。`
    : 'はじめての設定が終わるまでは、最初にメンバー登録をした方が管理者になります。ほかの方が先に管理者にならないよう、設定 OWNER_EMAIL に管理者になる方のメールアドレスを書いてください。'
  return `${first}${picture}\nこのアドレスは一度だけ使え、サイトを起動するたびに新しくなります。${who}`
}

function mailInWords({ smtpUrl, dataFolder }: Settings) {
  if (smtpUrl) return `${new URL(smtpUrl).host} から送ります`
  return `送る設定（SMTP_URL）がないため、受信箱と ${mailFolder(dataFolder)} に残します`
}
