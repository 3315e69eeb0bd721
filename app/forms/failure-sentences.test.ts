import type { KyselyPlugin } from 'kysely'
import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
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
      let isFull = false
      const failing: KyselyPlugin = {
        transformQuery({ node }) {
          if (isFull && node.kind !== 'SelectQueryNode') throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
          return node
        },
        transformResult: async ({ result }) => result,
      }
      const { people, post } = await sampleSite((await fresh()).withPlugin(failing))
      await people()
      expect((await post('administrator', '/calendar', { intent: 'add', ...event })).status).toBeLessThan(400)
      isFull = true
      const response = await post('administrator', path, { ...noHourFields, ...form })
      const html = await response.text()
      expect(response.status).toBe(507)
      expect(html).toContain(`${sentence}サーバーのディスクに空きがないため`)
      expect(html).toMatch(/お店へご連絡ください（受付番号 [0-9a-f]{8}）。/)
    },
  )
})
