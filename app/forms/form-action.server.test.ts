import { expect, test } from 'vitest'
import { sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { demoAccounts } from '../../server/tools/demo.ts'
import type { SaveResult } from './save-result.ts'

const event = { intent: 'add', day: '2040-05-05', title: '月見の会', content: '' }

test('logs the ignored fields of a user who may submit the form', async () => {
  const { post, people, logged } = await sampleSite()
  await people()
  const statuses = []
  for (const [person, fields] of [
    ['approved', { other: '1' }],
    ['approved', {}],
    ['signedIn', { other: '2' }],
    ['guest', { other: '3' }],
  ] as const) {
    const form = { ...event, id: crypto.randomUUID(), ...fields }
    statuses.push((await post(person, '/calendar.data', form)).status)
  }
  expect(statuses).toEqual([200, 200, 403, 401])
  const { accountId: by } = demoAccounts.approved
  const entries = logged.filter(({ msg }) => msg === 'fields ignored')
  expect(entries).toEqual([expect.objectContaining({ ignored: ['other'], by })])
})

test('repeats only submitted fields in an error response', async () => {
  const { post } = await sampleSite()
  const errors = { email: [expect.any(String)] }
  for (const [fields, values] of [
    [{ password: 'toss-high-9' }, {}],
    [{ password: 'toss-high-9', email: 'hana@' }, { email: 'hana@' }],
  ] as const) {
    const response = await post('guest', '/emaillogin.data', fields)
    expect(await actionDataOf(response)).toEqual({ intent: '', values, errors })
  }
})

test('returns the form that undoes a save', async () => {
  const { post, people, db } = await sampleSite()
  await people()
  const fields = { intent: 'add', title: '秋の新しいお料理', content: '内容' }
  const response = await post('administrator', '/firestoreservice.data?databasename=dining', fields)
  const { undo } = await actionDataOf<Required<SaveResult>>(response)
  expect((await post('administrator', undo.action, undo.fields)).status).toBe(200)
  const card = db.selectFrom('cards').select('deletedAt').where('title', '=', fields.title)
  expect(await card.execute()).toEqual([{ deletedAt: expect.any(String) }])
})
