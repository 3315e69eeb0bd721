import { expect, onTestFinished, test, vi } from 'vitest'
import { freshSqlite } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'

const site = async () => {
  const { as, people, db } = await sampleSite(await freshSqlite())
  await people()
  const facts = JSON.stringify({ name: '別の食堂' })
  await db.updateTable('site').set({ facts }).execute()
  /** The status of the answer, and its titles. */
  const titled = async (person: Person, path: string, init?: RequestInit) => {
    const response = await as(person, path, init)
    const titles = (await response.text()).matchAll(/<title>([^<]*)<\/title>/g)
    return [response.status, ...[...titles].map(([, title]) => title)]
  }
  return { db, titled }
}

test.each(['guest', 'approved', 'administrator'] as const)(
  'what is not there has one title, with the name of the shop, for %s',
  async (person) => {
    const { titled } = await site()
    for (const path of [
      '/unknown',
      '/unknown/within/another',
      '/tennisrelated/none/show',
      '/dining/none/edit',
      '/firestoreservice/none/edit',
      '/webdesignincludebackend/none/edit',
    ])
      expect(await titled(person, path), path).toEqual([404, 'お探しのページが見つかりません | 別の食堂'])
  },
)

test('so has what could not be made', async () => {
  const { db, titled } = await site()
  const complaint = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => complaint.mockRestore())
  await db.schema.dropTable('cards').execute()
  const failed = await titled('administrator', '/firestoreservice/any/edit')
  expect(failed).toEqual([500, 'ページを表示できませんでした | 別の食堂'])
})

test('what was refused before anything was read for its page has one title too', async () => {
  const { titled } = await site()
  const send = (path: string, type: string, body: string) =>
    titled('administrator', path, {
      method: 'POST',
      headers: { origin: 'http://localhost', 'content-type': type },
      body,
    })
  const torn = 'multipart/form-data; boundary=none'
  expect(await send('/unknown', 'application/x-www-form-urlencoded', '')).toEqual([
    405,
    'このページでは受け付けていません',
  ])
  expect(await send('/mail', 'application/json', '{}')).toEqual([415, 'この形式ではお受けできません'])
  expect(await send('/firestoreservice?databasename=dining', torn, 'torn')).toEqual([
    415,
    'この形式ではお受けできません',
  ])
})
