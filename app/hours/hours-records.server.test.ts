import { expect, test } from 'vitest'
import type { BusinessWeekRow, SpecialDayRow } from '../../db/tables.ts'
import { eachRow, noSlots } from './business-day.ts'
import { hourFieldsOf, scheduleFieldsOf } from './hour-fields.ts'
import { specialDayRecord, weekRecord } from './hours-records.server.ts'

const describeWeek = (schedule: string) => weekRecord.describe({ schedule } as BusinessWeekRow, new Map())
const hours = JSON.stringify(hourFieldsOf(noSlots))
const closure = { day: '2026-12-31', reason: '臨時休業', cause: '法事のため', note: '', hours } as SpecialDayRow

test.each([true, false])('describes a week with its closed days first: %s', (closedDaysFirst) => {
  const schedule = { ...eachRow(() => ({ open: false, slots: noSlots })), closedDaysFirst }
  expect(describeWeek(JSON.stringify(scheduleFieldsOf(schedule)))).toEqual({
    ...eachRow(() => '定休日'),
    ...(closedDaysFirst && { 定休日: '祝日と祝前日より優先' }),
  })
})

test('describes a week and a special day with unreadable hours', () => {
  for (const json of ['{}', '{']) {
    expect(describeWeek(json)).toEqual({ スケジュール: '読めないデータ' })
    expect(specialDayRecord.describe({ ...closure, hours: json }, new Map())).toEqual({ 時間: '読めないデータ' })
  }
})

test('describes a special day with its hours, unless the shop is closed', () => {
  expect(Object.values(specialDayRecord.describe(closure, new Map()))).toEqual(['臨時休業', '法事のため', '', ''])
  const opening = { ...closure, reason: '臨時営業', cause: '' }
  expect(Object.values(specialDayRecord.describe(opening, new Map()))).toEqual(['臨時営業', '', '時間なし', ''])
})

test('links a change of the hours to its page and publishes its topic', () => {
  const week = {} as BusinessWeekRow
  expect([weekRecord.titleOf(week), weekRecord.urlOf(week), weekRecord.topicOf(week)]).toEqual([
    '毎週の営業時間',
    '/bussinessdays',
    'hours',
  ])
  const { titleOf, urlOf, topicOf } = specialDayRecord
  expect([titleOf(closure), urlOf(closure), topicOf(closure)]).toEqual([
    '2026年12月31日 臨時休業',
    '/calendar?month=2026-12',
    'specialDays',
  ])
})
