import { expect, test } from 'vitest'
import { unwrap } from './outcome.ts'

test('marks the page as outdated after a conflict, but not when the record is missing', () => {
  const conflict = { trouble: 'ほかの方が先に変更しました。現在の内容をご確認ください。', isOutdated: true }
  expect(() => unwrap({ error: 'conflict' })).toThrow(expect.objectContaining({ status: 409, result: conflict }))
  const missing = { trouble: 'ありません。', isOutdated: false }
  expect(() => unwrap({ error: 'missing' }, { missing: 'ありません。' })).toThrow(
    expect.objectContaining({ status: 404, result: missing }),
  )
})
