import { expect, test } from 'vitest'
import { isRunning } from './menu.ts'

test.each([
  ['11:30', '14:00', '11:29', false],
  ['11:30', '14:00', '11:30', true],
  ['11:30', '14:00', '14:00', false],
  ['18:00', '01:00', '17:59', false],
  ['18:00', '01:00', '23:30', true],
  ['18:00', '01:00', '00:59', true],
  ['18:00', '01:00', '01:00', false],
  ['18:00', '00:00', '23:59', true],
])('a slot from %s to %s runs at %s: %s', (start, end, time, expected) => {
  expect(isRunning({ start, end }, Date.parse(`2026-11-27T${time}:00+09:00`))).toBe(expected)
})
