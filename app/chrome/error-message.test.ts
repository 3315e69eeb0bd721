import { expect, onTestFinished, test, vi } from 'vitest'
import { freshSqlite } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'

const createSite = async () => {
  const { as, people, db } = await sampleSite(await freshSqlite())
  await people()
  const facts = JSON.stringify({ name: '別の食堂' })
  await db.updateTable('site').set({ facts }).execute()
  /** Returns the status of the response and the titles in its HTML. */
  const readTitles = async (person: Person, path: string, init?: RequestInit) => {
    const response = await as(person, path, init)
    const titles = (await response.text()).matchAll(/<title>([^<]*)<\/title>/g)
    return [response.status, ...[...titles].map(([, title]) => title)]
  }
  const readHtml = async (person: Person, path: string) => (await as(person, path)).text()
  return { db, readTitles, readHtml }
}

test.each(['guest', 'approved', 'administrator'] as const)(
  'renders one title with the name of the shop when %s opens a missing page',
  async (person) => {
    const { readTitles } = await createSite()
    for (const path of [
      '/unknown',
      '/unknown/within/another',
      '/tennisrelated/none/show',
      '/dining/none/edit',
      '/firestoreservice/none/edit',
      '/webdesignincludebackend/none/edit',
    ])
      expect(await readTitles(person, path), path).toEqual([404, 'お探しのページが見つかりません | 別の食堂'])
  },
)

test.each(['/unknown', '/p/unknown', '/tennisrelated/none/show'])(
  'renders neither a canonical URL nor a preview of the missing page %s',
  async (path) => {
    const { readHtml } = await createSite()
    for (const person of ['guest', 'administrator'] as const)
      expect(await readHtml(person, path)).not.toMatch(/rel="canonical"|rel="alternate"|property="og:/)
  },
)

test('renders one title with the name of the shop when a loader fails', async () => {
  const { db, readTitles } = await createSite()
  const consoleError = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => consoleError.mockRestore())
  await db.schema.dropTable('cards').execute()
  const failed = await readTitles('administrator', '/firestoreservice/any/edit')
  expect(failed).toEqual([500, 'ページを表示できませんでした | 別の食堂'])
})

test('renders one title without the name of the shop when a form is rejected before any loader runs', async () => {
  const { readTitles } = await createSite()
  const send = (path: string, type: string, body: string) =>
    readTitles('administrator', path, {
      method: 'POST',
      headers: { origin: 'http://localhost', 'content-type': type },
      body,
    })
  const multipartType = 'multipart/form-data; boundary=none'
  expect(await send('/unknown', 'application/x-www-form-urlencoded', '')).toEqual([
    405,
    'このページでは受け付けていません',
  ])
  expect(await send('/mail', 'application/json', '{}')).toEqual([415, 'この形式ではお受けできません'])
  expect(await send('/firestoreservice?databasename=dining', multipartType, 'torn')).toEqual([
    415,
    'この形式ではお受けできません',
  ])
})
