import type { KyselyPlugin } from 'kysely'
import { describe, expect, test } from 'vitest'
import { OutcomeUnknown, READ_ONLY } from '../../db/failure.ts'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { dayInJapan } from '../dates/japan.ts'
import { scheduleRows } from '../hours/business-day.ts'
import { noHourFields } from '../hours/hour-fields.ts'
import { failureWithReason, NO_CONNECTION } from './save-result.ts'

describe('failureWithReason', () => {
  test.each([
    ['イベントの削除に失敗しました', `イベントの削除に失敗しました。${NO_CONNECTION}`],
    ['データの保存に失敗しました。もう一度お試しください', `データの保存に失敗しました。${NO_CONNECTION}`],
    [
      'データの登録中にエラーが発生しました。詳細: 保存できませんでした',
      `データの登録中にエラーが発生しました。詳細: ${NO_CONNECTION}`,
    ],
  ])('replaces the end of %s with the reason', (sentence, expected) => {
    expect(failureWithReason(sentence, NO_CONNECTION)).toBe(expected)
  })
})

/** Makes every statement except SELECT fail with the error, if any. */
function failWrites(nextError: () => Error | undefined): KyselyPlugin {
  return {
    transformQuery({ node }) {
      const error = nextError()
      if (error && node.kind !== 'SelectQueryNode') throw error
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

const diskFull = Object.assign(new Error('full'), { code: 'SQLITE_FULL' })

onEachEngine((fresh) => {
  const week = Object.fromEntries(
    scheduleRows.flatMap((row) =>
      Object.entries({ ...noHourFields, open_or_close: 'close' }).map(([name, value]) => [`${row}.${name}`, value]),
    ),
  )
  const id = '0b2bd4c2-6f0c-4a7e-9a38-6a3c1a0f5a11'
  const event = { id, day: '2040-05-05', title: '月見の会', content: '' }
  test.each([
    ['イベントの削除に失敗しました。', '/calendar', { intent: 'delete', id, version: '1' }],
    ['データの保存に失敗しました。', '/bussinessdays', { intent: 'week', version: '1', ...week, beside: 'stays' }],
    ['データの保存に失敗しました。', '/bussinessdays', { intent: 'special', first: '2040-05-06', reason: '臨時休業' }],
    ['データの保存に失敗しました。', '/today', { intent: 'close', day: dayInJapan(noon), version: '0' }],
  ] as [string, string, Record<string, string>][])(
    'appends the reason to %s when the disk is full during a save at %s',
    async (sentence, path, form) => {
      let error: Error | undefined
      const { people, post } = await sampleSite((await fresh()).withPlugin(failWrites(() => error)))
      await people()
      expect((await post('administrator', '/calendar', { intent: 'add', ...event })).status).toBeLessThan(400)
      error = diskFull
      const response = await post('administrator', path, { ...noHourFields, ...form })
      const html = await response.text()
      expect(response.status).toBe(507)
      expect(html).toContain(`${sentence}サーバーのディスクに空きがないため`)
      expect(html).toMatch(/お店へご連絡ください（受付番号 [0-9a-f]{8}）。/)
    },
  )
})

test('responds to a failed save with its status, its cause and a reference number', async () => {
  let error: Error | undefined
  const { people, post } = await sampleSite((await freshSqlite()).withPlugin(failWrites(() => error)))
  await people()
  const id = crypto.randomUUID()
  await post('administrator', '/calendar', { intent: 'add', id, day: '2040-05-05', title: '月見の会', content: '' })
  const deletion = ['/calendar.data', { intent: 'delete', id, version: '1' }] as const
  const newDish = [
    '/firestoreservice.data?databasename=dining',
    { intent: 'add', title: '題', content: '内容' },
  ] as const
  const failure = 'イベントの削除に失敗しました'
  const noSpace = 'サーバーのディスクに空きがないため、受け付けられませんでした。お手数ですが、お店へご連絡ください'
  const unsure = '受け付けられたかどうかを確認できませんでした。少し待ってから、もう一度お試しください'
  const readOnly = Object.assign(new Error('read-only'), { code: READ_ONLY })
  for (const [[path, fields], cause, status, sentence, unanswered] of [
    [deletion, new Error('unexpected'), 500, failure],
    [deletion, new Error('unexpected', { cause: diskFull }), 500, failure],
    [deletion, diskFull, 507, `${failure}。${noSpace}`],
    [newDish, diskFull, 507, noSpace],
    [newDish, readOnly, 507, 'データベースが読み取り専用になっているため、[^。]+。お手数ですが、お店へご連絡ください'],
    [newDish, new OutcomeUnknown('commit', { cause: diskFull }), 507, unsure, true],
    [newDish, new OutcomeUnknown('commit'), 503, unsure, true],
  ] as const) {
    error = cause
    const response = await post('administrator', path, fields)
    const trouble = expect.stringMatching(new RegExp(`^${sentence}（受付番号 [0-9a-f]{8}）。?$`))
    const { intent } = fields
    expect([response.status, await actionDataOf(response)]).toEqual([
      status,
      { intent, trouble, ...(unanswered && { unanswered }) },
    ])
  }
})
