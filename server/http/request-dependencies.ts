import type { FileHandle } from 'node:fs/promises'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Context } from 'hono'
import { type Auth, createAuth } from '../../app/accounts/auth.server.ts'
import { updatePlaces } from '../../app/calendar/places.server.ts'
import { cursorFor } from '../../app/live/cursor.ts'
import { adoptImportedMember } from '../../app/members/imported.server.ts'
import { namesOfAccounts } from '../../app/members/members.server.ts'
import type { Visitor } from '../../app/permissions.ts'
import { vapidKeys } from '../../app/push/push-request.server.ts'
import type { AnyRecordType } from '../../app/records/record.ts'
import { createRequestContext, type Dependencies, type Health } from '../../app/request.ts'
import { isCircleOn } from '../../app/settings/circle.server.ts'
import { readSite } from '../../app/settings/site.server.ts'
import { announceBookings } from '../../app/tables/announce-bookings.server.ts'
import { beforeCommit } from '../../db/transaction.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { Metrics } from '../metrics.ts'
import { hostInUrl, mailOriginOf } from '../origin.ts'
import type { Settings } from '../settings.ts'
import type { createReleaseCheck } from '../tasks/release-check.ts'
import type { TextPage } from './compress.ts'
import type { MakeFont } from './heading-font.ts'
import type { DATABASE_TIMEOUTS } from './health.ts'
import type { DrawLogo } from './logo-images.ts'

type SharedDependencies =
  | ('db' | 'clock' | 'log' | 'live' | 'mailer' | 'secret')
  | ('identity' | 'lastBackup' | 'readVerifiedEmails' | 'space')

export type SiteDependencies = Pick<Dependencies, SharedDependencies> & {
  /** Makes a backup and tests its restore. Returns the open backup file, which is already deleted. */
  freshBackup: (signal: AbortSignal) => Promise<FileHandle>
  releases: ReturnType<typeof createReleaseCheck>
  settings: Settings
  visitorOf: (auth: Auth, request: Request) => Promise<Visitor>
  makeFont: MakeFont
  drawLogo: DrawLogo
  recordTypes: readonly AnyRecordType[]
  databaseTimeouts: typeof DATABASE_TIMEOUTS
  /** Null if the settings contain no token for the metrics. */
  metrics: Metrics | null
}

export type Env = {
  Bindings: {
    incoming?: { socket: { remoteAddress?: string }; headers?: IncomingHttpHeaders; url?: string }
    outgoing?: Pick<ServerResponse, 'once'>
  }
  Variables: { origin: string; auth: Auth; cached?: { url: string; page: TextPage } }
}

/** Dependencies of the handlers: those of the site, and functions that resolve those of a request. */
export type HandlerDependencies = ReturnType<typeof createHandlerDependencies>

export function createHandlerDependencies(deps: SiteDependencies) {
  const { db, clock, live, mailer, secret, settings } = deps
  const health: Health = { failures: 0, failedAt: 0, unstoredAt: 0 }
  const authFor = createAuth({
    ...deps,
    passwords: settings.passwords,
    google: settings.google,
    verifies: mailer.verifies,
    mailOriginOf: (origin) => mailOriginOf(origin, settings),
    onSessionEnded: live.endStreamsOf,
  })

  const origin = mailOriginOf(`http://${hostInUrl(settings.host)}:${settings.port}`, settings)
  const pushPublicKey = vapidKeys(secret).publicKey
  beforeCommit(db, async (trx) => {
    await updatePlaces(trx, { clock, readVerifiedEmails: deps.readVerifiedEmails, secret, origin })
    await announceBookings(trx, { clock, origin })
  })

  return {
    ...deps,
    health,
    authFor,

    /** Reads the session again, because the session may have ended while the body arrived. */
    freshAuth: ({ req, var: { origin, auth } }: Context<Env>) =>
      authFor({ request: req.raw, origin, address: auth.address }),

    /** Returns the visitor. If an imported member record belongs to the account, links the account to the record. */
    async visitorOf(request: Request, auth: Auth): Promise<Visitor> {
      const visitor = await deps.visitorOf(auth, request)
      // If the circle is switched off, the approval of a member grants nothing.
      if (visitor?.member?.admin && !(await isCircleOn(db)))
        return { ...visitor, member: { ...visitor.member, admin: false } }
      if (!visitor || visitor.member) return visitor
      return { ...visitor, member: await adoptImportedMember(db, visitor, new Date(clock()).toISOString()) }
    },

    contextFor(origin: string, visitor: Visitor, auth: Auth) {
      return createRequestContext({
        ...deps,
        health,
        visitor,
        auth,
        origin,
        records: { recordTypes: deps.recordTypes, readRule: readSite, namesOf: namesOfAccounts },
        lastChange: cursorFor(visitor, live.lastChange()),
        mailOrigin: mailOriginOf(origin, settings),
        hasCopyFolder: settings.backupCopyFolder !== null,
        hasCopyBucket: settings.backupBucket !== null,
        version: packageJson.version,
        newerRelease: deps.releases.newer,
        pushPublicKey,
        pushServices: settings.pushServices,
        ownerEmail: settings.ownerEmail,
      })
    },
  }
}
