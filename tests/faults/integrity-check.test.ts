import { expect, test } from 'vitest'
import { addCard } from '../../app/cards/cards.server.ts'
import { sampleSite } from '../../server/testing.ts'
import { checkIntegrity } from './integrity-check.ts'
import { openOperationLog } from './operation-log.ts'

const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
const fillSite = async () => {
  const { db, people, as } = await sampleSite()
  await people()
  const json = JSON.stringify({ to: 'shop', subject: '便り#1#', text: '本文' })
  const headers = { origin: 'http://localhost', 'content-type': 'application/json' }
  await as('guest', '/api/mail', { method: 'POST', headers, body: json })
  const id = await addCard(db, 'vbacreate', { title: '札#2#', content: '中身' }, author)
  return { db, id }
}

test('finds each marker once and no inconsistencies in an intact site', async () => {
  const { db } = await fillSite()
  const { markers, inconsistencies } = await checkIntegrity(db)
  expect(inconsistencies).toEqual([])
  expect([markers.get('#1#'), markers.get('#2#'), markers.get('#3#')]).toEqual([1, 1, undefined])
})

test('reports each type of inconsistent data', async () => {
  const { db, id } = await fillSite()
  await db.updateTable('cards').set({ content: 'ほか' }).where('id', '=', id).execute()
  await db.deleteFrom('outbox').execute()
  await db.updateTable('cards').set({ order: 99 }).where('collection', '=', 'home').execute()
  const picture = { name: 'a', width: 1, height: 1, accountId: null, uploadedAt: author.at }
  await db.insertInto('pictures').values(picture).execute()
  await db.insertInto('onceKeys').values({ owner: 'o', key: 'k', result: '', at: author.at }).execute()
  const { inconsistencies } = await checkIntegrity(db)
  for (const found of [`card ${id}: differs from`, 'message ', 'slides: ', 'picture a: 0 files', 'form k: '])
    expect(inconsistencies.filter((inconsistency) => inconsistency.startsWith(found)).length, found).toBeGreaterThan(0)
})

test('reports lost operations, duplicated operations and stored operations that were rejected', async () => {
  const { db } = await fillSite()
  await addCard(db, 'vbacreate', { title: '札#2#', content: '中身' }, author)
  const log = openOperationLog()
  const sendWithStatus = (marker: string, status: number) =>
    log.send('', { by: 'approved', what: 'a card', marker, send: async () => ({ status, location: '', body: '' }) })
  await sendWithStatus('#1#', 500)
  await sendWithStatus('#2#', 200)
  await sendWithStatus('#3#', 200)
  await log.send('', { by: 'approved', what: 'a card', marker: '#4#', send: async () => null })
  const { lost, twice, denied } = log.compare(await checkIntegrity(db))
  expect([lost, twice, denied].map((found) => found.map((each) => each.slice(0, 12)))).toEqual([
    ['a card (#3#,'],
    ['a card (#2#,'],
    ['a card (#1#,'],
  ])
})
