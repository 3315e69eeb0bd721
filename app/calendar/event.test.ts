import { expect, test } from 'vitest'
import { Event } from './event.ts'
import { describeEvent, formatEventTime } from './event-format.ts'

const tasting = { day: '2026-11-26', title: '利き酒の会' }
const listErrorFields = (values: object) =>
  (Event.safeParse({ ...tasting, ...values }).error?.issues ?? []).map(({ path }) => path.join('.'))

test('adds default values for missing fields of an event and trims its text', () => {
  expect(Event.parse({ day: '2026-11-26', title: '　利き酒の会 ', startTime: '', capacity: '', deadline: '' })).toEqual(
    {
      ...tasting,
      content: '',
      startTime: null,
      endTime: null,
      attendance: false,
      capacity: null,
      deadline: null,
      deadlineTime: null,
      membersOnly: false,
    },
  )
  expect(Event.parse({ ...tasting, attendance: 'yes', capacity: '12' })).toMatchObject({
    attendance: true,
    capacity: 12,
  })
})

test.each([
  [{ day: '1924-01-01' }, []],
  [{ day: '2100-12-31' }, []],
  [{ title: '長'.repeat(100), content: '長'.repeat(5000) }, []],
  [{ startTime: '00:00', endTime: '23:59' }, []],
  [{ startTime: '18:00', endTime: '01:00' }, []],
  [{ attendance: 'yes', capacity: '1', deadline: '2026-11-26' }, []],
  [{ attendance: 'yes', capacity: '999' }, []],
  // If the event has no RSVPs, a deadline after the event is no error.
  [{ deadline: '2026-11-27' }, []],
  [{ day: '1923-12-31' }, ['day']],
  [{ day: '2101-01-01' }, ['day']],
  [{ day: undefined }, ['day']],
  [{ title: undefined }, ['title']],
  [{ title: '\0' }, ['title']],
  [{ title: '長'.repeat(101) }, ['title']],
  [{ content: '長'.repeat(5001) }, ['content']],
  [{ startTime: '24:00' }, ['startTime']],
  [{ startTime: '9:00' }, ['startTime']],
  [{ startTime: '09:60' }, ['startTime']],
  [{ endTime: '10:00' }, ['startTime']],
  [{ startTime: '10:00', endTime: '10:00' }, ['endTime']],
  [{ capacity: '0' }, ['capacity']],
  [{ capacity: '1000' }, ['capacity']],
  [{ capacity: '1.5' }, ['capacity']],
  [{ capacity: '-1' }, ['capacity']],
  [{ attendance: 'yes', deadline: '2026-11-27' }, ['deadline']],
] as [object, string[]][])('returns errors for an event with %j in the fields %j', (values, fields) => {
  expect(listErrorFields(values)).toEqual(fields)
})

test('formats the time of an event', () => {
  const format = (startTime: string | null, endTime: string | null = null) => formatEventTime({ startTime, endTime })
  expect(format('09:00', '11:30')).toBe('9:00〜11:30')
  expect(format('18:00', '01:00')).toBe('18:00〜翌1:00')
  expect(format('10:00')).toBe('10:00から')
  expect(format(null)).toBe('')
})

test('lists the values of an event by field labels for the history', () => {
  const event = Event.parse({ ...tasting, attendance: 'yes', capacity: '12', deadline: '2026-11-25' })
  expect(describeEvent(event)).toEqual({
    タイトル: '利き酒の会',
    日付: '2026年11月26日',
    時刻: '終日',
    内容: '',
    出欠: 'とる',
    定員: '12名',
    締切: '11月25日（水）',
    公開範囲: '',
  })
  expect(describeEvent(Event.parse(tasting))).toMatchObject({ 出欠: 'とらない', 定員: '', 締切: '' })
  expect(describeEvent(Event.parse({ ...tasting, membersOnly: 'yes' }))).toMatchObject({
    公開範囲: '承認されたメンバー',
  })
})
