import { expect, test } from 'vitest'
import type { Booking } from '../bookings/booking.ts'
import { confirmDisplaced } from './displaced-bookings.server.ts'

const bookings = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ day: '2026-11-21', time: `12:0${index}`, party: 2 }) as Booking)
const times = (count: number) =>
  Array.from({ length: count }, (_, index) => `11月21日（土） 12:0${index} 2名`).join('、')
const reply = '保存したあと、お一人ずつにお断りのお返事を送れます。'

test('lists up to five displaced bookings in the question before a save', () => {
  const question = 'このまま保存しますか？'
  const [five, six] = [
    `お席のお申し込み5件が、営業時間の外になります（${times(5)}）。`,
    `お席のお申し込み6件が、営業時間の外になります（${times(5)} ほか）。`,
  ]
  expect(confirmDisplaced(bookings(5), [])).toEqual([five, reply, question])
  expect(confirmDisplaced(bookings(6), [])).toEqual([six, reply, question])
})

test('adds the displaced bookings to the other sentences of the question', () => {
  const others = ['通常の第1部がなくなります。', 'このまま保存しますか？']
  expect(confirmDisplaced([], others)).toEqual(others)
  expect(confirmDisplaced(bookings(1), others)).toEqual([expect.stringContaining('1件'), reply, ...others])
})
