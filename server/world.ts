import { provenAddressesIn } from '../app/accounts/accounts.server.ts'
import { createLive } from '../app/live/announce.server.ts'
import { mailerOf } from '../app/mail/mailer.server.ts'
import { kinds } from '../app/owner/kinds.server.ts'
import { inOwnProcess } from '../app/platform/own-process.server.ts'
import { createThread } from '../app/platform/thread.server.ts'
import { identityOf } from '../app/settings/identity.server.ts'
import { openChannel } from '../db/channel.ts'
import { freeBytesOf, spaceOf } from './disk-space.ts'
import type { World } from './http/asking.ts'
import { backUpInAnotherProcess, freshBackup, lastBackup } from './tasks/backups.ts'

/** Work outside the main thread, so that requests do not wait for it. */
export const aside: Pick<World, 'makeFont' | 'drawSeal'> = {
  makeFont: createThread('./server/http/heading-font-worker.mjs'),
  drawSeal: (seal) => inOwnProcess('server/http/seal-process.ts', seal),
}

/** Composes the dependencies with which the site runs. */
export async function createWorld(given: Pick<World, 'db' | 'log' | 'secret' | 'settings'>): Promise<World> {
  const { db, log, settings } = given
  const { dataFolder } = settings
  return {
    ...given,
    clock: Date.now,
    live: createLive(db, openChannel(settings.databaseUrl, { db, log })),
    mailer: mailerOf(settings),
    identity: await identityOf(db, settings.publicOrigin),
    lastBackup: () => lastBackup(dataFolder),
    freshBackup: (signal) => freshBackup(dataFolder, (file) => backUpInAnotherProcess(file, signal)),
    space: () => spaceOf(settings, freeBytesOf),
    visitorOf: (auth) => auth.visitor(),
    provenAddresses: provenAddressesIn(db),
    kinds,
    ...aside,
  }
}
