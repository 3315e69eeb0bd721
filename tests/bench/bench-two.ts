import { setTimeout as wait } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { addAccount } from '../../app/accounts/accounts.server.ts'
import { hashPassword } from '../../app/accounts/password-hash.server.ts'
import { untypedTables } from '../../db/engine.ts'
import { openDatabase } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { onPostgres } from '../../db/testing-postgres.ts'
import { publicPages, startSite } from '../../scripts/start-site.ts'
import { asCount, asMilliseconds, atMost, figure, percentile, type Row } from './bench-figures.ts'
import { memberOf } from './bench-members.ts'
import { askingAs, type Edited, type Editor, edit, type Saved, type Task } from './bench-two-editors.ts'
import { delaysOf, type Listener, listen, read } from './bench-two-readers.ts'
import { cardTasks, eventTask, orderTask, specialDayTask, weekTask } from './bench-two-tasks.ts'

const READERS = 200
const OPEN_PAGES = 40
const SECONDS = 300
const BUDGET_MS = 300
const PASSWORD = 'irasshaimase'

/** Measures 20 editors and 200 readers on two processes with one PostgreSQL, for five minutes or the given seconds. */
export function two({ seconds = SECONDS }: { seconds?: number | undefined } = {}): Promise<Row[]> {
  return onPostgres((url) => onTwoProcesses(url, seconds))
}

async function onTwoProcesses(url: string, seconds: number) {
  const settings = { DATABASE_URL: url, LOG_LEVEL: 'warn' }
  await using one = await startSite(settings)
  // Both processes share the secret in the data folder.
  await using other = await startSite({ ...settings, DATA_DIR: one.dataFolder })
  const addresses = [one.address, other.address]
  const db = await openDatabase({ url, file: '' })
  try {
    const first = await openEditor(db, 0, addresses)
    const tasks = await tasksOf(askingAs(one.address, first.cookies))
    const editors = [first]
    for (let number = 1; number < tasks.length; number += 1) editors.push(await openEditor(db, number, addresses))
    return await watched({ db, addresses, tasks, editors, seconds })
  } finally {
    await db.destroy()
  }
}

// Returns a task for each editor. Shared tasks are repeated for each of their editors.
async function tasksOf(ask: ReturnType<typeof askingAs>): Promise<Task[]> {
  const event = await eventTask(ask, 3, false)
  return [
    ...(await cardTasks(ask)),
    ...[await orderTask(ask), await orderTask(ask)],
    ...[await weekTask(ask), await weekTask(ask), await weekTask(ask)],
    ...[await specialDayTask(ask, 30), await specialDayTask(ask, 31), await specialDayTask(ask, 32)],
    ...[await eventTask(ask, 1, true), await eventTask(ask, 2, true), event, event],
  ]
}

async function openEditor(db: Kysely<Tables>, number: number, addresses: string[]): Promise<Editor> {
  const email = `editor-${number}@example.jp`
  const accountId = `account-${number}`
  await addAccount(
    db,
    { id: accountId, name: `編集者${number}`, email, hash: await hashPassword(PASSWORD) },
    new Date().toISOString(),
  )
  await db
    .insertInto('members')
    .values({ ...memberOf(number), administrator: true })
    .execute()
  const cookies = new Map<string, string>()
  const signIn = await askingAs(addresses[number % 2] ?? '', cookies)('/emaillogin', {
    form: { email, password: PASSWORD },
  })
  if (signIn.status !== 302) throw new Error(`Signing in was answered ${signIn.status}.`)
  return { number, accountId, email, cookies }
}

type Scene = { db: Kysely<Tables>; addresses: string[]; tasks: Task[]; editors: Editor[]; seconds: number }

async function watched({ db, addresses, tasks, editors, seconds }: Scene): Promise<Row[]> {
  const pages = await publicPages(addresses[0] ?? '')
  const listeners = await Promise.all(
    Array.from({ length: OPEN_PAGES }, (_, index) => listen(addresses[index % 2] ?? '', index % 2)),
  )
  const edited: Edited = { saved: [], newer: { own: 0, shared: 0 }, refused: {}, reads: 0, old: [], behind: [] }
  const until = performance.now() + seconds * 1000
  const reading = Array.from({ length: READERS - OPEN_PAGES }, () => read(addresses, pages, until))
  const editing = editors.map((editor, index) => edit(editor, tasks[index] as Task, addresses, until, edited))
  const [waits] = await Promise.all([Promise.all(reading), Promise.all(editing)])
  // Waits for live events in transit.
  await wait(2000)
  for (const { close } of listeners) close()
  return rowsOf(edited, {
    listeners,
    waits: waits.flat().sort((a, b) => a - b),
    lost: await lostOf(db, edited.saved),
    seconds,
  })
}

type Beside = { listeners: Listener[]; waits: number[]; lost: string[]; seconds: number }

function rowsOf(
  { saved, newer, refused, reads, old, behind }: Edited,
  { listeners, waits, lost, seconds }: Beside,
): Row[] {
  const { delays, missed } = delaysOf(saved, listeners)
  behind.sort((a, b) => a - b)
  const times = (of: number[]) => [
    figure('p50', percentile(of, 0.5), asMilliseconds),
    figure('p95', percentile(of, 0.95), asMilliseconds),
    figure('last', percentile(of, 1), asMilliseconds),
  ]
  const toSave = saved.map(({ sent, answered }) => answered - sent).sort((a, b) => a - b)
  const statuses = Object.entries(refused).map(([status, count]) => `${status}: ${count}`)
  const first = behind.filter((ms) => ms > 0).length
  return [
    {
      what: `saves of 20 editors, ${seconds} s`,
      figures: [
        figure('count', saved.length, asCount),
        ...times(toSave),
        atMost('lost', lost.length, 0, asCount),
        atMost('refused as not the newest', newer.own, 0, asCount),
      ],
      notes: [
        `${newer.shared} more were refused since another editor was faster.`,
        ...(statuses.length > 0 ? [`Not answered: ${statuses.join(', ')}`] : []),
        ...lost.slice(0, 5),
      ],
    },
    {
      what: 'what they read next, on the other process',
      figures: [figure('count', reads, asCount), atMost('old', old.length, 0, asCount)],
      notes: old.slice(0, 5),
    },
    {
      what: `open pages of the other process (${OPEN_PAGES / 2} each) hear of a save`,
      figures: [
        figure('count', delays.length, asCount),
        figure('p50', percentile(delays, 0.5), asMilliseconds),
        atMost('p95', percentile(delays, 0.95), BUDGET_MS, asMilliseconds),
        figure('last', percentile(delays, 1), asMilliseconds),
        atMost('lost', missed, 0, asCount),
      ],
    },
    {
      what: 'others are shown what was before, after the answer',
      figures: [figure('count', behind.length, asCount), ...times(behind), figure('old', first, asCount)],
    },
    {
      what: `pages of ${READERS - OPEN_PAGES} readers`,
      figures: [figure('count', waits.length, asCount), ...times(waits)],
    },
  ]
}

const tables = { card: 'cards', event: 'events', specialDay: 'specialDays', businessWeek: 'businessWeek' } as const

/**
 * Returns the confirmed saves that the database lacks. Each save must be one version of its record, and the record must
 * equal its last version.
 */
async function lostOf(db: Kysely<Tables>, saved: Saved[]) {
  const lost: string[] = []
  for (const record of new Map(saved.map(({ task }) => [task.record.id, task.record])).values()) {
    const own = saved.filter(({ task }) => task.record.id === record.id)
    const revisions = await db
      .selectFrom('revisions')
      .select(['version', 'accountId', 'after'])
      .where('subject', '=', record.subject)
      .where('subjectId', '=', record.id)
      .orderBy('version')
      .execute()
    const authors = new Map(revisions.map(({ version, accountId }) => [version, accountId]))
    for (const { task, version, by } of own) {
      if (authors.get(version) !== by)
        lost.push(`${task.what}: version ${version} of ${by} is of ${authors.get(version)}.`)
      // Another save that was confirmed for the same version is lost.
      authors.delete(version)
    }
    const key = record.subject === 'specialDay' ? 'day' : 'id'
    const row = await untypedTables(db)
      .selectFrom(tables[record.subject])
      .selectAll()
      .where(key, '=', record.id)
      .executeTakeFirst()
    const last = Object.entries(JSON.parse(revisions.at(-1)?.after ?? '{"none":true}'))
    const unlike = last.filter(([name, value]) => row?.[name] !== value).map(([name]) => name)
    if (unlike.length > 0) lost.push(`${own[0]?.task.what}: ${unlike.join(', ')} not as they were last saved.`)
  }
  return lost
}
