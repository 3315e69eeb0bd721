import type { Kysely } from 'kysely'
import { collectedMailer } from '../../app/mail/testing-mailer.ts'
import type { Visitor } from '../../app/permissions.ts'
import { openDatabase } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { builtSite } from '../../scripts/built-site.ts'
import { readSettings } from '../../server/settings.ts'
import { median } from './bench-figures.ts'

const ASKED = 60

type Of = {
  fill: (db: Kysely<Tables>) => Promise<void>
  note?: (db: Kysely<Tables>) => Promise<string>
  /** Visitor of the request; a guest by default. */
  visitor?: Visitor
  /** Whether the cache may serve repeated requests. */
  atHand?: boolean
}

/**
 * Returns the median response time of a page of the built site in milliseconds, after a warm-up, with the database that
 * `fill` filled.
 */
export async function timesOf(path: string, { fill, note, visitor = null, atHand = false }: Of) {
  const { createApp, createDependencies } = await builtSite()
  const { default: pino } = await import('pino')
  const db = await openDatabase({ file: ':memory:' })
  await fill(db)
  const log = pino({ level: 'silent' })
  const world = await createDependencies({ db, log, secret: 'of no use anywhere else', settings: readSettings({}) })
  const { live } = world
  const app = createApp({
    ...world,
    clock: () => Date.parse('2026-11-20T12:00:00+09:00'),
    mailer: collectedMailer(),
    visitorOf: async () => visitor,
  })
  const times: number[] = []
  for (let time = 0; time < ASKED; time += 1) {
    if (!atHand) live.announce('events')
    const began = performance.now()
    const response = await app.request(`http://localhost${path}`)
    await response.text()
    if (response.status !== 200) throw new Error(`The page answered ${response.status}.`)
    times.push(performance.now() - began)
  }
  const noted = (await note?.(db)) ?? ''
  await db.destroy()
  return { median: median(times.slice(ASKED / 2)), note: noted }
}
