import { describe, expect, test } from 'vitest'
import { differences, formatAuthor, formatInstant, historyPageIn } from './history.ts'

describe('historyPageIn', () => {
  test('returns the page number in the URL, or 1 when the number is invalid', () => {
    const pageOf = (changes: string) => historyPageIn(new URL(`http://localhost/site${changes}`))
    expect(['', '?changes=1', '?changes=2', '?changes=100000'].map(pageOf)).toEqual([1, 1, 2, 100_000])
    expect(
      ['?changes=0', '?changes=-1', '?changes=1.5', '?changes=x', '?changes=', '?changes=100001'].map(pageOf),
    ).toEqual([1, 1, 1, 1, 1, 1])
  })
})

describe('formatAuthor', () => {
  test('returns the name of the author only when the visitor may see the name', () => {
    const names = new Map([['aoi', '桜井 花']])
    expect(['aoi', 'other', null].map((id) => formatAuthor(id, names))).toEqual(['桜井 花 さん', 'ほかの方', 'サイト'])
  })
})

describe('formatInstant', () => {
  test('formats an instant in Japanese time', () => {
    expect(formatInstant('2026-11-19T15:05:00.000Z')).toBe('2026年11月20日 00:05')
  })
})

describe('differences', () => {
  test('returns only the changed, added and removed fields', () => {
    expect(
      differences(
        { 題: '甲', 内容: '同じ', 時刻: '', 締切: '明日' },
        { 題: '乙', 内容: '同じ', 時刻: '', 定員: '12名' },
      ),
    ).toEqual([
      { label: '題', before: '甲', after: '乙' },
      { label: '締切', before: '明日', after: '' },
      { label: '定員', before: '', after: '12名' },
    ])
  })

  test('shortens a long text to the part around its first difference', () => {
    const cut = (before: string, after: string) => {
      const [{ before: oldText, after: newText } = { before: '', after: '' }] = differences(
        { 文: before },
        { 文: after },
      )
      return [oldText, newText]
    }
    const same = '同'.repeat(140)
    expect(cut(`${same}甲`, `${same}乙`)).toEqual([`${same}甲`, `${same}乙`])
    const long = '同'.repeat(200)
    expect(cut(`${long}甲`, `${long}乙`)).toEqual([`…${'同'.repeat(20)}甲`, `…${'同'.repeat(20)}乙`])
    // A text of 160 characters is complete, even if the other text is longer.
    expect(cut('甲'.repeat(160), '乙'.repeat(160))).toEqual(['甲'.repeat(160), '乙'.repeat(160)])
    const longest = '同'.repeat(159)
    expect(cut(`${longest}甲`, `${longest}乙`)).toEqual([`${longest}甲`, `${longest}乙`])
    const prefix = '同'.repeat(150)
    expect(cut(prefix, `${prefix}${'加'.repeat(20)}`)).toEqual([
      `…${'同'.repeat(20)}`,
      `…${'同'.repeat(20)}${'加'.repeat(20)}`,
    ])
    expect(cut(`${long}甲`, prefix)).toEqual([`…${'同'.repeat(70)}甲`, `…${'同'.repeat(20)}`])
    // A character outside the Basic Multilingual Plane counts as one character and is never split.
    expect(cut('𠮷'.repeat(161), `題${'𠮷'.repeat(161)}`)).toEqual([`${'𠮷'.repeat(160)}…`, `題${'𠮷'.repeat(159)}…`])
  })
})
