import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openChannel } from './channel.ts'
import { openDatabase } from './open.ts'

test('reports each commit of another connection to a SQLite file once', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const file = join(mkdtempSync(join(tmpdir(), 'noren-channel-')), 'site.db')
  const [here, there] = [await openDatabase({ file }), await openDatabase({ file })]
  onTestFinished(async () => void (await Promise.all([here.destroy(), there.destroy()])))
  const channel = openChannel(undefined, { db: here, log: pino({ level: 'silent' }) })
  onTestFinished(() => channel.close())
  const missed = vi.fn()
  /** Lets the channel read the file several times. */
  const poll = async () => {
    for (let time = 0; time < 4; time += 1) {
      await vi.advanceTimersByTimeAsync(250)
      // This statement waits for the read of the channel.
      await sql`select 1`.execute(here)
    }
  }
  channel.listen({ message: () => {}, missed })
  await poll()
  expect(missed).not.toHaveBeenCalled()
  for (const commits of [1, 2]) {
    await sql`create table ${sql.table(`commit_${commits}`)} (id text)`.execute(there)
    await poll()
    expect(missed).toHaveBeenCalledTimes(commits)
  }
  await sql`create table own (id text)`.execute(here)
  await poll()
  expect(missed).toHaveBeenCalledTimes(2)
})
