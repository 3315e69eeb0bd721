import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { listAdministrators } from '../../app/settings/roles.server.ts'
import { startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { noneGoal, runOnEngines, type TrialOptions, type TrialResult } from './goals.ts'
import { openOperationLog } from './operation-log.ts'
import { writeMessage } from './operations.ts'
import { randomFrom } from './random.ts'
import { type Engine, openSiteCopy, type SiteCopy } from './site-copy.ts'

const modes = ['down', 'slow', 'dies', 'well'] as const
type Mode = (typeof modes)[number]

/**
 * Makes the mail server unavailable or slow, or disconnects it after it has accepted an e-mail and before it confirms
 * the e-mail.
 */
export async function mail({ runs = 3, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  return runOnEngines(selectedEngines, (engine) => mailOn(engine, runs, seed))
}

async function mailOn(engine: Engine, runs: number, seed: number): Promise<TrialResult> {
  const audit = openAudit()
  const [missing, repeated, miscounted]: [string[], string[], string[]] = [[], [], []]
  const copy = await openSiteCopy(engine)
  const server = await openMailServer()
  const settings = { ...copy.settings, SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'shop@example.jp' }
  const site = await startSite(settings, { folder: copy.folder })
  const log = openOperationLog()
  for (let run = 0; run < runs; run += 1) {
    const random = randomFrom(seed + run)
    server.mode = modes[run % (modes.length - 1)] ?? 'down'
    for (let count = random.between(2, 5); count > 0; count -= 1) await writeMessage({ address: site.address, log })
    await pause(random.between(1000, 3500))
    server.mode = 'well'
    await waitUntilSent(copy)
    await audit.check(copy, log, { run: `${engine}, run ${run}` })
  }
  const mails = await copy.withDatabase((db) =>
    db
      .selectFrom('outbox')
      .innerJoin('messages', 'messages.id', 'about')
      .select(['outbox.id', 'outbox.to', 'messages.subject'])
      .execute(),
  )
  const readers = await copy.withDatabase(listAdministrators)
  for (const { marker, state } of log.operations) {
    if (state !== 'confirmed') continue
    const ownMails = mails.filter(({ subject }) => subject.includes(marker))
    // Each reader must have one e-mail. The stored recipient of the first e-mail is null and counts as one reader.
    if (new Set(ownMails.map(({ to }) => to)).size !== readers.length || ownMails.length !== readers.length)
      miscounted.push(`${marker}: ${ownMails.length} mails for ${readers.length} readers`)
    for (const { id } of ownMails) {
      const { arrived = 0, died = 0 } = server.counts.get(id) ?? {}
      if (arrived === 0) missing.push(marker)
      if (arrived > 1 + died) repeated.push(`${marker}: ${arrived} times, ${died} unconfirmed`)
    }
  }
  await site.stop()
  server.close()
  audit.close(log)
  await copy.close()
  const goals = [
    ...audit.goals(),
    noneGoal('e-mails not delivered', missing),
    noneGoal('e-mails that do not match the readers', miscounted),
    noneGoal('e-mails sent again after a confirmation', repeated),
  ]
  return { label: engine, runs, goals, operations: audit.operations() }
}

// Makes failed e-mails due at once, as the retry interval and the button for resending do.
async function waitUntilSent({ withDatabase }: SiteCopy) {
  for (let check = 0; check < 150; check += 1) {
    const stillWaiting = await withDatabase(async (db) => {
      const now = new Date().toISOString()
      const failed = db.updateTable('outbox').set({ dueAt: now }).where('trouble', 'is not', null)
      await failed.where('state', '=', 'waiting').execute()
      return db.selectFrom('outbox').select('id').where('channel', '=', 'mail').where('state', '=', 'waiting').execute()
    })
    if (stillWaiting.length === 0) return
    await pause(200)
  }
}

async function openMailServer() {
  const counts = new Map<string, { arrived: number; died: number }>()
  const state = { mode: 'well' as Mode }
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    async onConnect(_, callback) {
      if (state.mode === 'slow') await pause(700)
      callback(state.mode === 'down' ? new Error('away') : null)
    },
    async onData(stream, { id }, callback) {
      const text = Buffer.concat(await stream.toArray()).toString()
      const outboxId = /^message-id: <([^@]+)@/im.exec(text)?.[1] ?? ''
      const { arrived, died } = counts.get(outboxId) ?? { arrived: 0, died: 0 }
      const disconnects = state.mode === 'dies'
      counts.set(outboxId, { arrived: arrived + 1, died: died + (disconnects ? 1 : 0) })
      if (state.mode === 'slow') await pause(1500)
      if (!disconnects) return callback(null)
      for (const connection of smtp.connections as Set<Connection>)
        if (connection.session.id === id) connection._socket.destroy()
    },
  })
  smtp.on('error', () => {})
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
  const { port } = smtp.server.address() as AddressInfo
  return Object.assign(state, { port, counts, close: () => smtp.close(() => {}) })
}

type Connection = { session: { id: string }; _socket: { destroy(): void } }
