import { expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import { emptyPostgresUrl, engines } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { deleteCard, readCard, saveCard } from '../cards/cards.server.ts'

const AT = '2026-11-01T00:00:00.000Z'
const author = { accountId: null, at: AT }

// Rows in the format of the database before the migration.
const oldDish = (id: string, price: string, version = 1) => ({
  ...{ id, collection: 'dining', order: 1, eventDay: null, title: `料理 ${id}`, content: '内容', linkUrl: '' },
  ...{ youtubeUrl: '', image: '', imageAlt: '', portraitImage: '', text1: '', text2: '', text3: '', price },
  ...{ marks: '菜食', allergens: '小麦', allergensConfirmed: 1, draft: 0, soldOutAt: null, other: '控え' },
  ...{ createdAt: AT, updatedAt: AT, deletedAt: null, version },
})

test.each(engines)('the migration preserves dishes and their histories on %s', async (engine) => {
  const db = await connect(engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' })
  onTestFinished(() => db.destroy())
  await migrate(db, '0032-menu')
  const tables = untypedTables(db)
  await tables.insertInto('marks').values({ name: 'sample shop decided', at: AT }).execute()
  const states = [oldDish('rice', '900'), oldDish('rice', '小 900、大 1200', 2)] as const
  await tables
    .insertInto('cards')
    .values([states[1], oldDish('soup', '')])
    .execute()
  const revision = { subject: 'card', subjectId: 'rice', accountId: null, at: AT }
  for (const [index, [before, after]] of [
    [null, states[0]],
    [states[0], states[1]],
  ].entries())
    await tables
      .insertInto('revisions')
      .values({
        ...{ ...revision, id: `revision-${index + 1}`, saveId: `save-${index + 1}`, version: index + 1 },
        ...{ action: index === 0 ? 'add' : 'save', before: before && JSON.stringify(before) },
        after: JSON.stringify(after),
      })
      .execute()
  await migrate(db)

  const {
    updatedAt: _,
    deletedAt: __,
    other: ___,
    ...before
  } = { ...states[1], allergensConfirmed: true, draft: false }
  expect(await readCard(db, 'rice')).toMatchObject({ ...before, section: '', shownFrom: '', shownUntil: '' })
  expect(await db.selectFrom('menuSections').selectAll().execute()).toEqual([])

  const site = await sampleSite(db)
  await site.people()
  const { entries } = await (await site.as('approved', '/history/card/rice')).json()
  expect(entries.map(({ changes }: { changes: object[] }) => changes.length)).toEqual([1, expect.any(Number)])
  expect(entries[0].changes).toMatchObject([{ before: '900', after: '小 900、大 1200' }])
  expect(JSON.stringify(entries)).not.toMatch(/分類|表示の/)
  // An editor who has loaded the dish before the migration still merges with another change.
  const saved = await saveCard(db, { id: 'rice', version: 1 }, { title: '白いご飯' }, author)
  expect(saved).toMatchObject({
    ok: { merged: true, item: { title: '白いご飯', price: states[1].price, section: '' } },
  })
  const reverted = await site.post('approved', '/undo', { revision: 'revision-1' })
  expect(reverted.status).toBeLessThan(400)
  expect(await readCard(db, 'rice')).toMatchObject({ title: '料理 rice', price: '900', section: '', shownUntil: '' })
  expect(
    await deleteCard(db, { id: 'soup', version: 1 }, { accountId: null, at: new Date(noon).toISOString() }),
  ).toMatchObject({ ok: {} })
  const { saveId } = await db
    .selectFrom('revisions')
    .select('saveId')
    .where('subjectId', '=', 'soup')
    .executeTakeFirstOrThrow()
  expect((await site.post('approved', '/undo', { save: saveId })).status).toBeLessThan(400)
  expect(await readCard(db, 'soup')).toMatchObject({ title: '料理 soup', price: '', section: '' })
})
