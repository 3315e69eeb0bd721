import { expect, test } from 'vitest'
import { cardTextFields } from './card-texts.ts'

const { price } = cardTextFields('dining')
const prices = '小 800、大 1200'

test('offers the texts of the fields of a collection for translation, and the labels of prices only for dishes', () => {
  expect(Object.keys(cardTextFields('dining')).sort()).toEqual(['content', 'imageAlt', 'price', 'title'])
  expect(Object.keys(cardTextFields('home')).sort()).toEqual(['text1', 'text2', 'text3'])
})

test.each([
  [prices, '小 / 大'],
  ['時価', ''],
  ['1200', ''],
])('reads the labels of the prices %j as %j', (stored, labels) => {
  expect(price?.read(stored)).toBe(labels)
})

test('replaces the labels of prices unless their number differs', () => {
  expect(price?.write('S／ L', prices)).toBe('S 800、L 1200')
  expect(price?.write('S', prices)).toBe(prices)
})

test('accepts as many labels as the prices have', () => {
  expect(price?.refusal?.('S / L', prices)).toBeNull()
})

test.each([
  ['S', '日本語と同じ数の名前（2つ）を「 / 」で区切って入力してください'],
  ['S / ', '日本語と同じ数の名前（2つ）を「 / 」で区切って入力してください'],
  ['S / L 1200', '価格の名前だけを入力してください。数字は日本語と同じものを表示します'],
  ['S / L、M', '価格の名前だけを入力してください。数字は日本語と同じものを表示します'],
])('rejects the labels %j: %s', (labels, refusal) => {
  expect(price?.refusal?.(labels, prices)).toBe(refusal)
})
