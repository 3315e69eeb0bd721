import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { emptyPostgresUrl, engines } from '../../db/testing.ts'
import { listPages } from '../pages/pages.server.ts'
import { undoSave } from '../records/undo.server.ts'
import { readSite } from '../settings/site.server.ts'
import { recordTypes } from './record-types.server.ts'
import { countSample } from './sample.server.ts'

const CREATED_AT = '2026-01-05T00:00:00.000Z'
const EDITED_AT = '2026-02-01T00:00:00.000Z'
const author = { accountId: null, at: EDITED_AT }

// Rows in the format of the database before the migration.
const cardRow = (id: string, title: string) => ({
  ...{ id, collection: 'dining', order: 1, eventDay: null, title, content: '内容', linkUrl: '', youtubeUrl: '' },
  ...{ image: '', imageAlt: '', text1: '', text2: '', text3: '', price: null, allergens: '', draft: 0 },
  ...{ soldOutAt: null, other: '', createdAt: CREATED_AT, updatedAt: CREATED_AT, deletedAt: null, version: 1 },
})
const siteRow = (name: string, version: number, updatedAt: string) => ({
  ...{ id: 'site', version, updatedAt },
  facts: JSON.stringify({
    name,
    seal: '結',
    telephone: '075-000-0000',
    recipients: { shop: '', circle: '', portfolio: '' },
  }),
})

type State = Record<string, unknown> | null
type Change = [
  subject: string,
  id: string,
  version: number,
  accountId: string | null,
  at: string,
  before: State,
  after: State,
]

describeMigration('migration of a site with the sample shop', async (db, insert) => {
  const states = [siteRow('ダイニング結', 1, CREATED_AT), siteRow('酒場 よいやみ', 2, EDITED_AT)] as const
  await insert('site', states[1])
  for (const each of [cardRow('theirs', '炊き込みご飯'), cardRow('own', '生ビール')]) await insert('cards', each)
  await insertRevisions(db, [
    ['site', 'site', 1, null, CREATED_AT, null, states[0]],
    ['site', 'site', 2, 'owner', EDITED_AT, states[0], states[1]],
    ['card', 'theirs', 1, null, CREATED_AT, null, cardRow('theirs', '炊き込みご飯')],
    ['card', 'own', 1, 'owner', EDITED_AT, null, cardRow('own', '生ビール')],
  ])
})((db) => {
  test('preserves page texts and identifies untouched sample content', async () => {
    const pages = await listPages(await db())
    expect(pages.find(({ id }) => id === 'infomation')).toMatchObject({ film: 'shop', title: '店舗案内', shown: true })
    expect(pages.find(({ id }) => id === 'home')).toMatchObject({ introduction: '朝の湯気と、\n出汁の香りと。' })
    const facts = await readSite(await db())
    expect(facts).toMatchObject({
      name: '酒場 よいやみ',
      firstSlot: '朝の部',
      secondSlot: '昼の部',
      cuisine: 'Japanese',
    })
    expect(facts.recipientNames.circle).toBe('テニスサークル')
    const left = new Map((await countSample(await db(), recordTypes)).map(({ place, count }) => [place, count]))
    // The owner added one of the two dishes and changed the shop's name, so both are not sample content.
    expect(left.get('お料理')).toBe(1)
    expect(left.get('お店の情報')).toBe(7)
    expect(left.get('ページ')).toBe(24)
  })

  test('preserves the migrated texts when a save from before the migration is undone', async () => {
    const { saveId } = await (await db())
      .selectFrom('revisions')
      .select('saveId')
      .where('accountId', '=', 'owner')
      .where('subject', '=', 'site')
      .executeTakeFirstOrThrow()
    expect(await undoSave(await db(), recordTypes, saveId, author)).not.toBeNull()
    expect(await readSite(await db())).toMatchObject({ name: 'ダイニング結', firstSlot: '朝の部' })
  })
})

describeMigration('migration of a site without sample content', async () => {})((db) => {
  test('preserves the built-in texts as sample content', async () => {
    expect(await readSite(await db())).toMatchObject({ name: 'ダイニング結', seal: '結', firstSlot: '朝の部' })
    const places = (await countSample(await db(), recordTypes)).map(({ place }) => place)
    expect(places.sort()).toEqual(['お店の情報', 'ページ'])
  })
})

test('migrates a new site without adding sample content', async () => {
  const db = await connect({ file: ':memory:' })
  onTestFinished(() => db.destroy())
  await migrate(db)
  expect(await db.selectFrom('pages').selectAll().execute()).toEqual([])
  expect(await readSite(db)).toMatchObject({ name: 'お店', seal: '', firstSlot: '' })
  expect(await countSample(db, recordTypes)).toEqual([])
})

type Insert = (table: string, row: Record<string, unknown>) => Promise<unknown>

/** Runs tests on each engine, with a database that `fill` populates before the migration. */
function describeMigration(what: string, fill: (db: Db, insert: Insert) => Promise<void>) {
  return (tests: (db: () => Promise<Db>) => void) => {
    for (const engine of engines) {
      const open = async () => {
        const place = engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' }
        const db = await connect(place)
        onTestFinished(() => db.destroy())
        await migrate(db, '0017-backup-copies')
        const insert: Insert = (table, row) => untypedTables(db).insertInto(table).values(row).execute()
        await insert('marks', { name: 'sample shop decided', at: CREATED_AT })
        await fill(db, insert)
        await migrate(db)
        return db
      }
      describe(`${what}, on ${engine}`, () => {
        let opened: Promise<Db> | undefined
        beforeEach(() => {
          opened = undefined
        })
        tests(() => {
          opened ??= open()
          return opened
        })
      })
    }
  }
}

async function insertRevisions(db: Db, changes: Change[]) {
  for (const [subject, subjectId, version, accountId, at, before, after] of changes) {
    const row = { id: crypto.randomUUID(), saveId: crypto.randomUUID(), action: 'add', subject, subjectId, version }
    const states = { before: before && JSON.stringify(before), after: JSON.stringify(after) }
    await untypedTables(db)
      .insertInto('revisions')
      .values({ ...row, accountId, at, ...states })
      .execute()
  }
}
