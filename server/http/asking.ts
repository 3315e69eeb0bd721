import type { FileHandle } from 'node:fs/promises'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { googleAddedMail } from '../../app/accounts/account-mails.ts'
import { provenAddressesIn } from '../../app/accounts/accounts.server.ts'
import { type Auth, createAuth } from '../../app/accounts/auth.server.ts'
import { visitorOf as readVisitor } from '../../app/accounts/visitor.server.ts'
import type { Live } from '../../app/live/announce.server.ts'
import { changeFor } from '../../app/live/change.ts'
import type { Mailer } from '../../app/mail/mailer.server.ts'
import { enqueue } from '../../app/mail/outbox.server.ts'
import { adoptImportedMember } from '../../app/members/imported.server.ts'
import { namesOfAccounts } from '../../app/members/members.server.ts'
import { kinds } from '../../app/owner/kinds.server.ts'
import type { Visitor } from '../../app/permissions.ts'
import type { AnyKind } from '../../app/records/record.ts'
import { type Clock, createRequestContext, type Health, type ProvenAddresses } from '../../app/request.ts'
import { isCircleOn } from '../../app/settings/circle.server.ts'
import type { Space } from '../../app/settings/disk-space.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { Tables } from '../../db/tables.ts'
import { mailOriginOf } from '../origin.ts'
import type { Settings } from '../settings.ts'
import type { KeptPage } from './door.ts'
import type { MakeFont } from './heading-font.ts'
import type { DrawSeal } from './seal-pictures.ts'

/** What the site runs in, and what a test puts in place of it. */
export type World = {
  db: Kysely<Tables>
  clock: Clock
  log: Logger
  live: Live
  mailer: Mailer
  /** When the last good backup was made, in milliseconds since 1970; null where there is none. */
  lastBackup: () => Promise<number | null>
  /** Makes a backup of now that has come back once, and opens it; no name leads to it. The signal gives it up. */
  freshBackup: (signal: AbortSignal) => Promise<FileHandle>
  /** How much room there is for the data. */
  space: () => Promise<Space>
  /** Signs the cookies. */
  secret: string
  /** What the identifiers that this site gives away end with. */
  identity: string
  settings: Pick<
    Settings,
    | 'publicOrigin'
    | 'host'
    | 'port'
    | 'trustedProxies'
    | 'google'
    | 'passwords'
    | 'ownerEmail'
    | 'liveStreamsPerNetwork'
    | 'backupCopyFolder'
  >
  /** Says who sends a request, where that is not its session's to say: for tests. */
  visitorOf?: (request: Request) => Promise<Visitor>
  /** Replaces the accounts in the database in tests. */
  provenAddresses?: ProvenAddresses
  /** In place of the thread that makes fonts: for tests. */
  makeFont?: MakeFont | undefined
  /** In place of the process that draws the seal: for tests. */
  drawSeal?: DrawSeal | undefined
  /** In place of all that this site keeps: for tests. */
  kinds?: readonly AnyKind[] | undefined
}

/** What every handler knows of a request: under which address of the site it came, its session, and what it got of all. */
export type Env = {
  Bindings: {
    incoming?: { socket: { remoteAddress?: string }; headers?: IncomingHttpHeaders; url?: string }
    outgoing?: Pick<ServerResponse, 'once'>
  }
  Variables: { origin: string; auth: Auth; kept?: KeptPage }
}

export type Asking = ReturnType<typeof createAsking>

/** Says who asks, and with what they are answered. */
export function createAsking(world: World, health: Health) {
  const { db, clock, log, live, mailer, secret, settings } = world
  const authFor = createAuth({
    db,
    clock,
    log,
    secret,
    passwords: settings.passwords,
    google: settings.google,
    verifies: mailer.verifies,
    onGoogleAdded: async (email, origin) => {
      const { name: shop } = await readSite(db)
      await enqueue(db, googleAddedMail({ to: email, shop }, mailOriginOf(origin, settings)), {
        at: new Date(clock()).toISOString(),
      })
    },
    onSessionEnded: live.endStreamsOf,
  })

  return {
    authFor,

    /** While a body was on its way, the session that it came with may have ended. */
    again: ({ req, var: { origin, auth } }: Context<Env>) =>
      authFor({ request: req.raw, origin, address: auth.address }),

    /** Who sends this request, whose account may be of a member who was imported. */
    async visitorOf(request: Request, auth: Auth): Promise<Visitor> {
      const visitor = (await world.visitorOf?.(request)) ?? (await readVisitor(db, auth))
      // Without a circle, its approval allows nothing.
      if (visitor?.member?.admin && !(await isCircleOn(db)))
        return { ...visitor, member: { ...visitor.member, admin: false } }
      if (!visitor || visitor.member) return visitor
      return { ...visitor, member: await adoptImportedMember(db, visitor, new Date(clock()).toISOString()) }
    },

    /** What a page, or a call, is answered with for this visitor. */
    contextFor(origin: string, visitor: Visitor, auth: Auth) {
      return createRequestContext({
        db,
        clock,
        log,
        health,
        visitor,
        auth,
        mailer,
        live,
        origin,
        records: { kinds: world.kinds ?? kinds, readRule: readSite, namesOf: namesOfAccounts },
        lastChange: changeFor(visitor, live.lastChange()),
        mailOrigin: mailOriginOf(origin, settings),
        identity: world.identity,
        lastBackup: world.lastBackup,
        hasCopyFolder: settings.backupCopyFolder !== null,
        space: world.space,
        provenAddresses: world.provenAddresses ?? provenAddressesIn(db),
        ownerEmail: settings.ownerEmail,
      })
    },
  }
}
