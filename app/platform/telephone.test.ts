import { describe, expect, test } from 'vitest'
import { splitAtTelephones } from './telephone.server.ts'

describe('splitAtTelephones', () => {
  test.each([
    ['090-1234-5678', '09012345678'],
    ['０９０－１２３４－５６７８', '09012345678'],
    ['075ー123ー4567', '0751234567'],
    ['(075) 123-4567', '0751234567'],
    ['０７５（１２３）４５６７', '0751234567'],
    ['09012345678', '09012345678'],
    ['0120 444 113', '0120444113'],
    ['+81 90-1234-5678', '+819012345678'],
    ['+81(0)75-123-4567', '+81751234567'],
  ])('finds the number %s', (typed, tel) => {
    expect(splitAtTelephones(`TEL${typed}です。`)).toEqual([
      { text: 'TEL', tel: null },
      { text: typed, tel },
      { text: 'です。', tel: null },
    ])
  })

  test.each([
    '2026-11-20 18:00',
    '〒605-0001',
    '12月5日 5名',
    '1090-1234-5678',
    '090-1234-56789',
    '5090123456789012',
    'https://example.jp/09012345678',
    'a_0901234567@example.jp',
    '02:00〜03:00、04:00',
    '',
  ])('finds no number in %j', (text) => {
    expect(splitAtTelephones(text).filter(({ tel }) => tel)).toEqual([])
  })

  test('returns the complete text around several numbers', () => {
    const text = '本人 090-1111-2222\n連れ 080-3333-4444\n'
    const parts = splitAtTelephones(text)
    expect(parts.map((part) => part.text).join('')).toBe(text)
    expect(parts.flatMap(({ tel }) => tel ?? [])).toEqual(['09011112222', '08033334444'])
  })
})
