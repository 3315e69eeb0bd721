import { expect, test } from 'vitest'
import { differences, formatAuthor, formatInstant, historyPageIn } from './history.ts'

test('an address asks for a page of the history; what is no page is the first', () => {
  const page = (changes: string) => historyPageIn(new URL(`http://localhost/site${changes}`))
  expect(['', '?changes=1', '?changes=2', '?changes=100000'].map(page)).toEqual([1, 1, 2, 100_000])
  expect(['?changes=0', '?changes=-1', '?changes=1.5', '?changes=x', '?changes=', '?changes=100001'].map(page)).toEqual(
    [1, 1, 1, 1, 1, 1],
  )
})

test('who made a change is told by name where that may be known', () => {
  const names = new Map([['aoi', '桜井 花']])
  expect(['aoi', 'other', null].map((id) => formatAuthor(id, names))).toEqual(['桜井 花 さん', 'ほかの方', 'サイト'])
})

test('when is told in Japan’s time', () => {
  expect(formatInstant('2026-11-19T15:05:00.000Z')).toBe('2026年11月20日 00:05')
})

test('only what differs is told, also where a part was not there before, or is not any more', () => {
  expect(
    differences({ 題: '甲', 内容: '同じ', 時刻: '', 締切: '明日' }, { 題: '乙', 内容: '同じ', 時刻: '', 定員: '12名' }),
  ).toEqual([
    { label: '題', before: '甲', after: '乙' },
    { label: '締切', before: '明日', after: '' },
    { label: '定員', before: '', after: '12名' },
  ])
})

test('a long text is cut to where it differs, a short one is whole', () => {
  const told = (before: string, after: string) => {
    const [{ before: was, after: is } = { before: '', after: '' }] = differences({ 文: before }, { 文: after })
    return [was, is]
  }
  const same = '同'.repeat(140)
  expect(told(`${same}甲`, `${same}乙`)).toEqual([`${same}甲`, `${same}乙`])
  const long = '同'.repeat(200)
  expect(told(`${long}甲`, `${long}乙`)).toEqual([`…${'同'.repeat(20)}甲`, `…${'同'.repeat(20)}乙`])
  const near = '同'.repeat(150)
  expect(told(near, `${near}${'加'.repeat(20)}`)).toEqual([
    `…${'同'.repeat(20)}`,
    `…${'同'.repeat(20)}${'加'.repeat(20)}`,
  ])
  // A letter outside of the first plane is one, and is not cut in two.
  expect(told('𠮷'.repeat(161), `題${'𠮷'.repeat(161)}`)).toEqual([`${'𠮷'.repeat(160)}…`, `題${'𠮷'.repeat(159)}…`])
})
