import { mkdirSync } from 'node:fs'
import type { Logger } from 'pino'
import { verifiedEmailReader } from '../app/accounts/accounts.server.ts'
import { createLive } from '../app/live/live.server.ts'
import { createMailer } from '../app/mail/mailer.server.ts'
import { recordTypes } from '../app/owner/record-types.server.ts'
import { runInChildProcess } from '../app/platform/child-process.server.ts'
import { createThread } from '../app/platform/thread.server.ts'
import { identityOf } from '../app/settings/identity.server.ts'
import { openChannel } from '../db/channel.ts'
import { freeBytesOf, spaceOf } from './disk-space.ts'
import { DATABASE_TIMEOUTS } from './http/health.ts'
import type { SiteDependencies } from './http/request-dependencies.ts'
import { openSite } from './open-site.ts'
import { fillSampleShopWithMenu } from './sample-menu.ts'
import { readOrCreateSecret } from './secret.ts'
import type { Settings } from './settings.ts'
import { backUpInAnotherProcess, freshBackup, lastBackup } from './tasks/backups.ts'
import { createReleaseCheck } from './tasks/release-check.ts'

/** Functions that work outside the main thread, so that requests need not wait. */
export const backgroundWork: Pick<SiteDependencies, 'makeFont' | 'drawLogo'> = {
  makeFont: createThread('./server/http/heading-font-worker.mjs'),
  drawLogo: (seal) => runInChildProcess('server/http/logo-process.ts', seal),
}

/** Opens the site and its dependencies. Adds the sample shop to a new site. */
export async function openDependencies(settings: Settings, log: Logger) {
  const db = await openSite(settings, { serving: true })
  // On PostgreSQL with the setting SECRET, no file needs the folder yet, but the health check reads its free space.
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 })
  // Creates the secret after the database, because `openSite` treats a secret without a database as a lost site.
  const secret = settings.secret ?? readOrCreateSecret(settings.dataFolder)
  const dependencies = await createDependencies({ db, log, secret, settings })
  await fillSampleShopWithMenu(db, { wanted: settings.sampleShop, now: dependencies.clock() })
  return dependencies
}

export async function createDependencies(
  base: Pick<SiteDependencies, 'db' | 'log' | 'secret' | 'settings'>,
): Promise<SiteDependencies> {
  const { db, log, settings } = base
  const { dataFolder } = settings
  const reads = { db, lastBackup: () => lastBackup(dataFolder, Date.now()), databaseTimeouts: DATABASE_TIMEOUTS }
  return {
    ...base,
    ...reads,
    metrics: settings.metricsToken ? (await import('./metrics.ts')).createMetrics(reads) : null,
    clock: Date.now,
    live: createLive(db, openChannel(settings.databaseUrl, { db, log })),
    mailer: createMailer(settings),
    identity: await identityOf(db, settings.publicOrigin),
    freshBackup: (signal) => freshBackup(dataFolder, (file) => backUpInAnotherProcess(file, signal)),
    space: () => spaceOf(settings, freeBytesOf),
    releases: createReleaseCheck(settings.updateUrl, log),
    visitorOf: (auth) => auth.visitor(),
    readVerifiedEmails: verifiedEmailReader(db),
    recordTypes,
    ...backgroundWork,
  }
}
