import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { administratorsOf } from '../../app/settings/roles.server.ts'
import { startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { writeMessage } from './operations.ts'
import { type Asked, none, onEach, type Tried } from './goals.ts'
import { openLedger } from './operation-log.ts'
import { type Engine, openPlace, type Place } from './site-copy.ts'
import { randomFrom } from './random.ts'

const ways = ['down', 'slow', 'dies', 'well'] as const
type Way = (typeof ways)[number]

/**
 * Makes the mail server unavailable or slow, or disconnects it after it has accepted an e-mail and before it confirms
 * it.
 */
export async function mail({ runs = 3, seed, on }: Asked): Promise<Tried[]> {
  return onEach(on, (engine) => mailOn(engine, runs, seed))
}

async function mailOn(engine: Engine, runs: number, seed: number): Promise<Tried> {
  const audit = openAudit()
  const [missing, repeated, renamed]: [string[], string[], string[]] = [[], [], []]
  const place = await openPlace(engine)
  const server = await openMailServer()
  const settings = { ...place.settings, SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'shop@example.jp' }
  const site = await startSite(settings, { folder: place.folder })
  const ledger = openLedger()
  for (let run = 0; run < runs; run += 1) {
    const random = randomFrom(seed + run)
    server.way = ways[run % (ways.length - 1)] ?? 'down'
    for (let count = random.between(2, 5); count > 0; count -= 1) await writeMessage({ address: site.address, ledger })
    await pause(random.between(1000, 3500))
    server.way = 'well'
    await untilSent(place)
    await audit.look(place, ledger, { run: `${engine}, run ${run}` })
  }
  const mails = await place.reading((db) =>
    db
      .selectFrom('outbox')
      .innerJoin('messages', 'messages.id', 'about')
      .select(['outbox.id', 'outbox.to', 'messages.subject'])
      .execute(),
  )
  const readers = await place.reading(administratorsOf)
  for (const { sign, state } of ledger.deeds) {
    if (state !== 'kept') continue
    const own = mails.filter(({ subject }) => subject.includes(sign))
    // Each reader has one e-mail; the e-mail of the first reader has no recipient yet.
    if (new Set(own.map(({ to }) => to)).size !== readers.length || own.length !== readers.length)
      renamed.push(`${sign}: ${own.length} mails for ${readers.length} readers`)
    for (const { id } of own) {
      const { arrived = 0, died = 0 } = server.counts.get(id) ?? {}
      if (arrived === 0) missing.push(sign)
      if (arrived > 1 + died) repeated.push(`${sign}: ${arrived} times, of which ${died} were not answered`)
    }
  }
  await site.stop()
  server.close()
  audit.close(ledger)
  await place.close()
  const goals = [
    ...audit.goals(),
    none('mails that never arrived', missing),
    none('more or fewer mails than readers', renamed),
    none('twice, where the server had said that it has it', repeated),
  ]
  return { of: engine, runs, goals, deeds: audit.deeds() }
}

// Makes failed e-mails due at once, as the retry interval and the button for resending do.
async function untilSent({ reading }: Place) {
  for (let look = 0; look < 150; look += 1) {
    const waiting = await reading(async (db) => {
      const now = new Date().toISOString()
      const troubled = db.updateTable('outbox').set({ dueAt: now }).where('trouble', 'is not', null)
      await troubled.where('state', '=', 'waiting').execute()
      return db.selectFrom('outbox').select('id').where('state', '=', 'waiting').execute()
    })
    if (waiting.length === 0) return
    await pause(200)
  }
}

async function openMailServer() {
  const counts = new Map<string, { arrived: number; died: number }>()
  const state = { way: 'well' as Way }
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    async onConnect(_, callback) {
      if (state.way === 'slow') await pause(700)
      callback(state.way === 'down' ? new Error('away') : null)
    },
    async onData(stream, { id }, callback) {
      const text = Buffer.concat(await stream.toArray()).toString()
      const own = /^message-id: <([^@]+)@/im.exec(text)?.[1] ?? ''
      const { arrived, died } = counts.get(own) ?? { arrived: 0, died: 0 }
      const dies = state.way === 'dies'
      counts.set(own, { arrived: arrived + 1, died: died + (dies ? 1 : 0) })
      if (state.way === 'slow') await pause(1500)
      if (!dies) return callback(null)
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
