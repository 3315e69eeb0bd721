import { verifiedEmailReader } from '../app/accounts/accounts.server.ts'
import { createLive } from '../app/live/live.server.ts'
import { createMailer } from '../app/mail/mailer.server.ts'
import { recordTypes } from '../app/owner/record-types.server.ts'
import { runInChildProcess } from '../app/platform/child-process.server.ts'
import { createThread } from '../app/platform/thread.server.ts'
import { identityOf } from '../app/settings/identity.server.ts'
import { openChannel } from '../db/channel.ts'
import { freeBytesOf, spaceOf } from './disk-space.ts'
import type { SiteDependencies } from './http/request-dependencies.ts'
import { backUpInAnotherProcess, freshBackup, lastBackup } from './tasks/backups.ts'
import { createReleaseCheck } from './tasks/release-check.ts'

/** Functions that work outside the main thread, so that requests need not wait. */
export const backgroundWork: Pick<SiteDependencies, 'makeFont' | 'drawLogo'> = {
  makeFont: createThread('./server/http/heading-font-worker.mjs'),
  drawLogo: (seal) => runInChildProcess('server/http/logo-process.ts', seal),
}

export async function createDependencies(
  base: Pick<SiteDependencies, 'db' | 'log' | 'secret' | 'settings'>,
): Promise<SiteDependencies> {
  const { db, log, settings } = base
  const { dataFolder } = settings
  const readLastBackup = () => lastBackup(dataFolder)
  return {
    ...base,
    metrics: settings.metricsToken
      ? (await import('./metrics.ts')).createMetrics({ db, lastBackup: readLastBackup })
      : null,
    clock: Date.now,
    live: createLive(db, openChannel(settings.databaseUrl, { db, log })),
    mailer: createMailer(settings),
    identity: await identityOf(db, settings.publicOrigin),
    lastBackup: readLastBackup,
    freshBackup: (signal) => freshBackup(dataFolder, (file) => backUpInAnotherProcess(file, signal)),
    space: () => spaceOf(settings, freeBytesOf),
    releases: createReleaseCheck(settings.updateUrl, log),
    visitorOf: (auth) => auth.visitor(),
    readVerifiedEmails: verifiedEmailReader(db),
    recordTypes,
    ...backgroundWork,
  }
}
