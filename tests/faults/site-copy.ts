import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { connect } from '../../db/open.ts'
import { runPostgres } from '../../db/testing-postgres.ts'
import { type DemoPerson, signInDemoPeople } from '../../scripts/sign-in-demo-people.ts'
import { startSite } from '../../scripts/start-site.ts'

export const engines = ['SQLite', 'PostgreSQL'] as const
export type Engine = (typeof engines)[number]

/** Session cookies of the demo people, valid on every copy. */
export type Cookies = Record<DemoPerson, string>
type Template = { folder: string; url: string | undefined; cookies: Cookies }

/** Separate copy of the sample site: its data folder and, on PostgreSQL, the URL of its database. */
export type SiteCopy = Awaited<ReturnType<typeof openSiteCopy>>

const templates = new Map<Engine, Promise<Template>>()
let runningPostgres: ReturnType<typeof runPostgres> | undefined
let databaseCount = 0

/** Returns the PostgreSQL server of all trials. The first call starts the server. */
export function postgres() {
  runningPostgres ??= runPostgres()
  return runningPostgres
}

/** Copies the sample site on this engine. `close` removes the copy. */
export async function openSiteCopy(engine: Engine) {
  const templateReady = templates.get(engine) ?? makeTemplate(engine)
  templates.set(engine, templateReady)
  const { folder: templateFolder, url: template, cookies } = await templateReady
  const folder = mkdtempSync(join(tmpdir(), 'noren-trial-'))
  cpSync(templateFolder, folder, { recursive: true })
  const url = template && (await createDatabase(new URL(template).pathname.slice(1)))
  const location = { url, file: join(folder, 'site.db') }
  return {
    engine,
    folder,
    cookies,
    ...location,
    /** Environment variables of a site on this copy. */
    settings: { DATABASE_URL: url ?? '', DATA_DIR: folder, TRUSTED_PROXY: '127.0.0.1', LOG_LEVEL: 'error' },
    /**
     * Runs `work` with the database of the site copy, even while a site serves the copy. Opening an SQLite database
     * also recovers it after a kill.
     */
    async withDatabase<T>(work: (db: Awaited<ReturnType<typeof connect>>) => Promise<T>) {
      const db = await connect(location)
      return work(db).finally(() => db.destroy())
    },
    async close() {
      rmSync(folder, { recursive: true, force: true })
      if (url) await runStatement(`drop database "${new URL(url).pathname.slice(1)}" with (force)`)
    },
  }
}

/** Removes the templates and stops the PostgreSQL server of all trials. */
export async function closeSiteCopies() {
  for (const templateReady of templates.values()) rmSync((await templateReady).folder, { recursive: true, force: true })
  await (await runningPostgres)?.stop()
}

/**
 * Creates a database on the PostgreSQL server of the trials, either empty or as a copy of `template`. Returns its URL.
 */
export async function createDatabase(template = 'template0') {
  databaseCount += 1
  const name = `trial_${databaseCount}`
  await runStatement(`create database ${name} template "${template}"`)
  return `${(await postgres()).url}/${name}`
}

async function runStatement(statement: string) {
  const client = new pg.Client({ connectionString: `${(await postgres()).url}/postgres` })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

async function makeTemplate(engine: Engine): Promise<Template> {
  const folder = mkdtempSync(join(tmpdir(), 'noren-trial-template-'))
  const url = engine === 'PostgreSQL' ? await createDatabase() : undefined
  const site = await startSite({ DATABASE_URL: url ?? '' }, { folder })
  const cookies = await signInDemoPeople({ ...site, url })
  const db = await connect({ url, file: join(folder, 'site.db') })
  // With a mail server, the site requires verified e-mail addresses.
  await db.updateTable('accounts').set({ emailVerified: true }).execute()
  await db.destroy()
  await site.stop()
  return { folder, url, cookies }
}
