import { expect, test } from 'vitest'
import type { z } from 'zod'
import { checkbox, linkField, textField } from './form-rules.ts'

const messagesOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ message }) => message)

test('names the field in the errors of a text, and stores the text without surrounding spaces', () => {
  const title = textField('タイトル', 3)
  expect(title.parse(' 月見 ')).toBe('月見')
  expect(messagesOf(title, undefined)).toEqual(['タイトルを入力してください'])
  expect(messagesOf(title, '月見の会')).toEqual(['タイトルは3文字までです'])
})

test.each([
  ['on', true],
  [true, true],
  [undefined, false],
  ['', false],
  ['off', false],
  [false, false],
])('reads the checkbox value %o as %s', (value, isChecked) => {
  expect(checkbox.parse(value)).toBe(isChecked)
})

test.each([
  [undefined, ''],
  ['', ''],
  [' https://example.jp/menu ', 'https://example.jp/menu'],
  ['/calendar', '/calendar'],
])('accepts the link %o', (typed, stored) => {
  expect(linkField.parse(typed)).toBe(stored)
})

test.each([
  ['javascript:alert(1)', 'リンクは https:// などで始まるアドレスか、このサイトのページを入力してください'],
  ['//example.jp', 'リンクは https:// などで始まるアドレスか、このサイトのページを入力してください'],
  ['example.jp/menu', 'アドレスは https:// から入力してください。「https://example.jp/menu」ではありませんか。'],
])('rejects the link %s', (typed, message) => {
  expect(messagesOf(linkField, typed)).toEqual([message])
})

test('rejects a link of more than 2,000 characters', () => {
  const url = 'https://example.jp/'.padEnd(2001, 'a')
  expect(linkField.safeParse(url.slice(0, 2000)).success).toBe(true)
  expect(messagesOf(linkField, url)).toEqual(['アドレスが長すぎます'])
})
