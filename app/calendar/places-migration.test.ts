import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import { emptyPostgresUrl, engines } from '../../db/testing.ts'
import { memberFieldNames } from '../members/member.ts'

const at = '2026-11-20T03:00:00.000Z'
const times = { version: 1, createdAt: at, updatedAt: at }

test.each(engines)('remembers the places of an earlier version on %s', async (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'noren-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const url = engine === 'PostgreSQL' ? await emptyPostgresUrl() : undefined
  const db = await connect({ url, file: join(folder, 'site.db') })
  onTestFinished(() => db.destroy())
  await migrate(db, '0036-message-language')
  const old = untypedTables(db)
  const event = { id: 'event', day: '2026-11-28', title: '練習', content: '', attendance: 1, capacity: 1 }
  await old
    .insertInto('events')
    .values({ ...event, ...times })
    .execute()
  const members = [
    ['former', 0],
    ['first', 1],
    ['second', 1],
    ['absent', 1],
  ] as const
  const fields = Object.fromEntries(memberFieldNames.map((name) => [name, '']))
  for (const [turn, [id, admin]] of members.entries()) {
    const names = { id, accountname: id, accountnameKey: id }
    await old
      .insertInto('members')
      .values({ ...fields, ...names, administrator: 0, admin, ...times })
      .execute()
    const rsvp = { answer: id === 'absent' ? 'no' : 'yes', note: '', turn, answeredAt: at }
    await old
      .insertInto('answers')
      .values({ eventId: 'event', memberId: id, ...rsvp, ...times })
      .execute()
  }
  await migrate(db)
  const answers = await db
    .selectFrom('answers')
    .select(['memberId', 'toldPlace', 'companions', 'came'])
    .orderBy('turn')
    .execute()
  expect(answers).toEqual([
    { memberId: 'former', toldPlace: '', companions: 0, came: null },
    { memberId: 'first', toldPlace: 'coming', companions: 0, came: null },
    { memberId: 'second', toldPlace: 'waiting', companions: 0, came: null },
    { memberId: 'absent', toldPlace: '', companions: 0, came: null },
  ])
  expect(await db.selectFrom('members').select('resting').distinct().execute()).toEqual([{ resting: false }])
})
