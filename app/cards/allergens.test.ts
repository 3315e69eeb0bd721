import { describe, expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { emptyPostgresUrl, engines, onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { countSample } from '../owner/sample.server.ts'
import { revert } from '../records/undo.server.ts'
import { cardRecord } from './card-record.server.ts'
import { addCard, listCards, readCard } from './cards.server.ts'

const REFERRAL = 'アレルギーはスタッフにお尋ねください'
const FREE_OF_ALL = 'えび・かに・くるみ・小麦・そば・卵・乳・落花生・カシューナッツは使っていません'
const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const add = (fields: object) => addCard(sample.db, 'dining', { title: 'にしんそば', ...fields }, author)
    const readArticle = async (id: string) => {
      const page = await (await sample.as('guest', '/dining')).text()
      return /<article.*?<\/article>/s
        .exec(page.slice(page.indexOf(`id="card-${id}"`) - 40))?.[0]
        .replaceAll('<!-- -->', '')
    }
    return { ...sample, add, readArticle }
  }

  describe('a dish', () => {
    onSqlite('refers guests to the staff until its allergens are confirmed', async () => {
      const { add, readArticle } = await createSite()
      const html = await readArticle(await add({}))
      expect(html).toContain(REFERRAL)
      expect(html).not.toContain('使っていません')
    })

    onSqlite('lists all allergens as absent when the confirmed allergen list is empty', async () => {
      const { add, readArticle } = await createSite()
      const html = await readArticle(await add({ allergensConfirmed: true }))
      expect(html).toContain(FREE_OF_ALL)
      expect(html).not.toContain('お尋ねください')
    })

    onSqlite('lists confirmed allergens without a referral to the staff', async () => {
      const { add, readArticle } = await createSite()
      const html = await readArticle(await add({ allergens: 'そば、小麦', allergensConfirmed: true }))
      expect(html).toContain('アレルギー：そば・小麦</p>')
    })

    onSqlite('lists unconfirmed allergens and refers guests to the staff for all other allergens', async () => {
      const { add, readArticle } = await createSite()
      const html = await readArticle(await add({ allergens: 'そば' }))
      expect(html).toContain('アレルギー：そば（ほかはスタッフにお尋ねください）</p>')
    })

    test('lists a saved allergen confirmation in the history and lets the editor undo the save', async () => {
      const { add, readArticle, post, as, db } = await createSite()
      const id = await add({})
      const path = `/dining/${id}/edit`
      const fields = { intent: 'save', version: '1', title: 'にしんそば', content: '' }
      expect((await post('guest', path, { ...fields, allergensConfirmed: 'on' })).status).toBe(401)
      expect(await readCard(db, id)).toMatchObject({ allergensConfirmed: false, version: 1 })
      const saved = await post('approved', path, { ...fields, allergensConfirmed: 'on' })
      expect(saved.status).toBe(302)
      expect(await readArticle(id)).toContain(FREE_OF_ALL)
      const form = await (await as('approved', path)).text()
      expect(form).toMatch(/<input type="checkbox" name="allergensConfirmed" checked=""/)
      const history = await (await as('approved', `/firestoreservice/${id}/edit`)).text()
      expect(history).toMatch(/アレルギーの確認.*未確認.*確認済み/s)
      const undo = new URL(saved.headers.get('location') ?? '', 'http://localhost').searchParams.get('undo')
      expect((await post('approved', '/undo', { save: undo ?? '' })).status).toBeLessThan(400)
      expect(await readArticle(id)).toContain(REFERRAL)
    })
  })

  onSqlite('shows no allergens on a card that is not a dish', async () => {
    const { as } = await createSite()
    const page = await (await as('guest', '/vbacreate')).text()
    expect(page).toContain('<article')
    expect(page).not.toContain('アレルギー')
  })

  onSqlite('never describes a dish of the sample shop as free of allergens', async () => {
    const { as } = await createSite()
    const page = await (await as('guest', '/dining')).text()
    expect(page).toContain('アレルギー：小麦</p>')
    expect(page).toContain(REFERRAL)
    expect(page).not.toContain('使っていません')
  })
})

const dish = (id: string, allergens: string, order = 1) => ({
  ...{ id, collection: 'dining', order, eventDay: null, title: id, content: '', linkUrl: '', youtubeUrl: '' },
  ...{ image: '', imageAlt: '', text1: '', text2: '', text3: '', price: 1200, allergens, draft: false },
  ...{ soldOutAt: null, other: '', createdAt: author.at, updatedAt: author.at, deletedAt: null, version: 1 },
})

/**
 * Creates a database of the previous version with an unchanged and an edited sample dish, and migrates the database.
 */
async function openMigratedDatabase(engine: (typeof engines)[number]) {
  const db: Db = await connect({
    url: engine === 'PostgreSQL' ? await emptyPostgresUrl() : undefined,
    file: ':memory:',
  })
  onTestFinished(() => db.destroy())
  await migrate(db, '0024-messages-held')
  const [ticked, blank] = [dish('ticked', '卵、小麦'), dish('blank', '')]
  const edited = { ...dish('ticked', ''), version: 2 }
  for (const row of [edited, blank]) await untypedTables(db).insertInto('cards').values(row).execute()
  for (const [id, before, after] of [
    ['r1', null, ticked],
    ['r2', ticked, edited],
    ['r3', null, blank],
  ] as const) {
    const action = before ? 'save' : 'sample'
    const states = { before: before && JSON.stringify(before), after: JSON.stringify(after) }
    const record = { subject: 'card', subjectId: after.id, version: after.version, accountId: null, at: author.at }
    await untypedTables(db)
      .insertInto('revisions')
      .values({ id, saveId: id, action, ...record, ...states })
      .execute()
  }
  await migrate(db)
  return db
}

describe.each(engines)('a site migrated from the previous version on %s', (engine) => {
  test('does not confirm the allergens of a dish with an empty allergen list', async () => {
    const db = await openMigratedDatabase(engine)
    expect(await listCards(db, 'dining')).toMatchObject([
      { id: 'blank', allergensConfirmed: false },
      { id: 'ticked', allergensConfirmed: false },
    ])
  })

  test('keeps the price of a dish and of its revisions as text', async () => {
    const db = await openMigratedDatabase(engine)
    expect((await listCards(db, 'dining')).map(({ price }) => price)).toEqual(['1200', '1200'])
    const revisions = await untypedTables(db).selectFrom('revisions').select(['before', 'after']).execute()
    const states = revisions.flatMap(({ before, after }) => [before, after] as (string | null)[])
    expect(states.flatMap((state) => (state ? JSON.parse(state).price : []))).toEqual(['1200', '1200', '1200', '1200'])
  })

  test('reverts the allergens of a dish together with the allergen confirmation', async () => {
    const db = await openMigratedDatabase(engine)
    await revert(db, cardRecord, 'r1', author)
    expect(await readCard(db, 'ticked')).toMatchObject({ allergens: '卵、小麦', allergensConfirmed: true })
    await revert(db, cardRecord, 'r2', author)
    expect(await readCard(db, 'ticked')).toMatchObject({ allergens: '', allergensConfirmed: false })
  })

  test('recognizes an unchanged sample dish as sample content', async () => {
    expect(await countSample(await openMigratedDatabase(engine), recordTypes)).toEqual([{ place: 'お料理', count: 1 }])
  })
})
