import { expect, test } from 'vitest'
import { lowestPrice, pricesOf } from './price.ts'
import { readPrices, TypedPrices } from './typed-prices.ts'

test.each([
  ['1,200円', '1200', 1200],
  ['小 800、大 1200', '小 800、大 1200', 800],
  ['小800円・大1,200円', '小 800、大 1200', 800],
  ['グラス600/ボトル ￥3,500', 'グラス 600、ボトル 3500', 600],
  ['昼：１，２００円\n夜：３，０００円', '昼 1200、夜 3000', 1200],
  ['大：1,200,小：800', '大 1200、小 800', 800],
  ['３個 500', '3個 500', 500],
  ['M ¥0', 'M 0', 0],
  ['時価', '時価', null],
  ['お問い合わせください', 'お問い合わせください', null],
  ['要問合せ', 'お問い合わせください', null],
  [' 　', '', null],
])('stores the prices %j as %j', (typed, stored, lowest) => {
  expect(TypedPrices.parse(typed)).toBe(stored)
  expect(pricesOf(stored)).toEqual(readPrices(typed))
  expect(lowestPrice(pricesOf(stored))).toBe(lowest)
})

test.each([
  ['小 800、大', '価格は円の数字で入力してください'],
  ['小 時価、大 800', '価格は円の数字で入力してください'],
  ['800、1200', '価格は円の数字で入力してください'],
  ['大盛り +100', '価格は円の数字で入力してください'],
  ['a'.repeat(301), '価格が長すぎます'],
  ['昼 1200 夜 3000', '価格と価格のあいだは「、」で区切ってください'],
  ['小 800、1200', '価格がいくつかあるときは、「小 800、大 1200」のように、それぞれに名前を付けてください'],
  ['小 -1、大 1200', '価格は0円以上で入力してください'],
  ['小 800、大 1,000,001', '価格は100万円までです'],
  ['あ1、い2、う3、え4、お5、か6、き7', '価格は6つまでです'],
  ['小 800、小 900', '同じ名前の価格があります'],
  [`${'長'.repeat(21)} 800`, '価格の名前は20文字までです'],
])('rejects the prices %j: %s', (typed, error) => {
  expect(TypedPrices.safeParse(typed).error?.issues.map(({ message }) => message)).toEqual([error])
})
