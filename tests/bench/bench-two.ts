import { setTimeout as wait } from 'node:timers/promises'
import { addAccount } from '../../app/accounts/accounts.server.ts'
import { hashPassword } from '../../app/accounts/password-hash.server.ts'
import { untypedTables } from '../../db/engine.ts'
import { openDatabase } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { onPostgres } from '../../db/testing-postgres.ts'
import { publicPages, startSite } from '../../scripts/start-site.ts'
import { asCount, asMilliseconds, figure, figureAtMost, percentile, type Row } from './bench-figures.ts'
import { memberOf } from './bench-members.ts'
import { createClient, type Editor, type EditResults, runEditor, type Save, type Task } from './bench-two-editors.ts'
import { type Listener, measureDelays, openListener, runReader } from './bench-two-readers.ts'
import { cardTasks, eventTask, orderTask, specialDayTask, weekTask } from './bench-two-tasks.ts'

const READERS = 200
const OPEN_PAGES = 40
const SECONDS = 300
const BUDGET_MS = 300
const PASSWORD = 'irasshaimase'

/**
 * Measures 20 editors and 200 readers on two processes with one PostgreSQL. Takes five minutes, or the given seconds.
 */
export function two({ seconds = SECONDS }: { seconds?: number | undefined } = {}): Promise<Row[]> {
  return onPostgres((url) => onTwoProcesses(url, seconds))
}

async function onTwoProcesses(url: string, seconds: number) {
  const settings = { DATABASE_URL: url, LOG_LEVEL: 'warn' }
  await using one = await startSite(settings)
  // The second process needs the secret that is stored in the data folder of the first process.
  await using other = await startSite({ ...settings, DATA_DIR: one.dataFolder })
  const addresses = [one.address, other.address]
  const db = await openDatabase({ url, file: '' })
  try {
    const staleCount = await createEditor(db, 0, addresses)
    const tasks = await createTasks(createClient(one.address, staleCount.cookies))
    const editors = [staleCount]
    for (let number = 1; number < tasks.length; number += 1) editors.push(await createEditor(db, number, addresses))
    return await measure({ db, addresses, tasks, editors, seconds })
  } finally {
    await db.destroy()
  }
}

// Returns a task for each editor. A shared task occurs once for each of its editors.
async function createTasks(send: ReturnType<typeof createClient>): Promise<Task[]> {
  const event = await eventTask(send, 3, false)
  return [
    ...(await cardTasks(send)),
    ...[await orderTask(send), await orderTask(send)],
    ...[await weekTask(send), await weekTask(send), await weekTask(send)],
    ...[await specialDayTask(send, 30), await specialDayTask(send, 31), await specialDayTask(send, 32)],
    ...[await eventTask(send, 1, true), await eventTask(send, 2, true), event, event],
  ]
}

async function createEditor(db: Db, number: number, addresses: string[]): Promise<Editor> {
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
  const signIn = await createClient(addresses[number % 2] ?? '', cookies)('/emaillogin', {
    form: { email, password: PASSWORD },
  })
  if (signIn.status !== 302) throw new Error(`Sign-in failed: got status ${signIn.status}, expected 302`)
  return { number, accountId, email, cookies }
}

type Scene = { db: Db; addresses: string[]; tasks: Task[]; editors: Editor[]; seconds: number }

async function measure({ db, addresses, tasks, editors, seconds }: Scene): Promise<Row[]> {
  const pages = await publicPages(addresses[0] ?? '')
  const listeners = await Promise.all(
    Array.from({ length: OPEN_PAGES }, (_, index) => openListener(addresses[index % 2] ?? '', index % 2)),
  )
  const results: EditResults = {
    saves: [],
    conflicts: { own: 0, shared: 0 },
    failures: {},
    reads: 0,
    staleReads: [],
    staleTimes: [],
  }
  const until = performance.now() + seconds * 1000
  const reading = Array.from({ length: READERS - OPEN_PAGES }, () => runReader(addresses, pages, until))
  const editing = editors.map((editor, index) => runEditor(editor, tasks[index] as Task, addresses, until, results))
  const [waits] = await Promise.all([Promise.all(reading), Promise.all(editing)])
  // Some live events may still be in transit to the readers.
  await wait(2000)
  for (const { close } of listeners) close()
  return rowsOf(results, {
    listeners,
    waits: waits.flat().sort((a, b) => a - b),
    lost: await findLostSaves(db, results.saves),
    seconds,
  })
}

type Measurements = { listeners: Listener[]; waits: number[]; lost: string[]; seconds: number }

function rowsOf(
  { saves, conflicts, failures, reads, staleReads, staleTimes }: EditResults,
  { listeners, waits, lost, seconds }: Measurements,
): Row[] {
  const { delays, missed } = measureDelays(saves, listeners)
  staleTimes.sort((a, b) => a - b)
  const percentiles = (of: number[]) => [
    figure('p50', percentile(of, 0.5), asMilliseconds),
    figure('p95', percentile(of, 0.95), asMilliseconds),
    figure('last', percentile(of, 1), asMilliseconds),
  ]
  const saveTimes = saves.map(({ sent, respondedAt }) => respondedAt - sent).sort((a, b) => a - b)
  const statuses = Object.entries(failures).map(([status, count]) => `${status}: ${count}`)
  const staleCount = staleTimes.filter((ms) => ms > 0).length
  return [
    {
      label: `saves of 20 editors, ${seconds} s`,
      figures: [
        figure('count', saves.length, asCount),
        ...percentiles(saveTimes),
        figureAtMost('lost', lost.length, 0, asCount),
        figureAtMost('unexpected conflicts', conflicts.own, 0, asCount),
      ],
      notes: [
        `${conflicts.shared} saves had a conflict with another editor.`,
        ...(statuses.length > 0 ? [`Failed saves by status: ${statuses.join(', ')}`] : []),
        ...lost.slice(0, 5),
      ],
    },
    {
      label: 'next reads on the other process',
      figures: [figure('count', reads, asCount), figureAtMost('stale', staleReads.length, 0, asCount)],
      notes: staleReads.slice(0, 5),
    },
    {
      label: `open pages of the other process (${OPEN_PAGES / 2} each) receive a save`,
      figures: [
        figure('count', delays.length, asCount),
        figure('p50', percentile(delays, 0.5), asMilliseconds),
        figureAtMost('p95', percentile(delays, 0.95), BUDGET_MS, asMilliseconds),
        figure('last', percentile(delays, 1), asMilliseconds),
        figureAtMost('lost', missed, 0, asCount),
      ],
    },
    {
      label: 'stale pages of other visitors after the response',
      figures: [
        figure('count', staleTimes.length, asCount),
        ...percentiles(staleTimes),
        figure('stale', staleCount, asCount),
      ],
    },
    {
      label: `pages of ${READERS - OPEN_PAGES} readers`,
      figures: [figure('count', waits.length, asCount), ...percentiles(waits)],
    },
  ]
}

const tables = { card: 'cards', event: 'events', specialDay: 'specialDays', businessWeek: 'businessWeek' } as const

/**
 * Returns the confirmed saves that the database lacks. Each save must be a version of its record, and the record must
 * equal its last version.
 */
async function findLostSaves(db: Db, saves: Save[]) {
  const lost: string[] = []
  for (const record of new Map(saves.map(({ task }) => [task.record.id, task.record])).values()) {
    const recordSaves = saves.filter(({ task }) => task.record.id === record.id)
    const revisions = await db
      .selectFrom('revisions')
      .select(['version', 'accountId', 'after'])
      .where('subject', '=', record.subject)
      .where('subjectId', '=', record.id)
      .orderBy('version')
      .execute()
    const authors = new Map(revisions.map(({ version, accountId }) => [version, accountId]))
    for (const { task, version, author } of recordSaves) {
      if (authors.get(version) !== author)
        lost.push(`${task.label}: version ${version} of ${author} is of ${authors.get(version)}.`)
      // A version belongs to one save. If another save was confirmed for the same version, that save is lost.
      authors.delete(version)
    }
    const key = record.subject === 'specialDay' ? 'day' : 'id'
    const row = await untypedTables(db)
      .selectFrom(tables[record.subject])
      .selectAll()
      .where(key, '=', record.id)
      .executeTakeFirst()
    const last = Object.entries(JSON.parse(revisions.at(-1)?.after ?? '{"none":true}'))
    const differences = last.filter(([name, value]) => row?.[name] !== value).map(([name]) => name)
    if (differences.length > 0)
      lost.push(`${recordSaves[0]?.task.label}: ${differences.join(', ')} differ from the last save.`)
  }
  return lost
}
