import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { addDays } from '../dates/month.ts'
import { Event } from './event.ts'
import { addEvent } from './events.server.ts'

const today = '2026-11-20'
const author = { accountId: null, at: new Date(noon).toISOString() }
const [first, last] = [addDays(today, -31), addDays(today, 365)]

onEachEngine((fresh) => {
  const readFeed = async (titles: Record<string, string> = {}) => {
    const { db, text } = await sampleSite(await fresh())
    for (const [title, day] of Object.entries(titles))
      await addEvent(db, crypto.randomUUID(), Event.parse({ title, day, content: '', startTime: '' }), author)
    return text('/calendar.ics')
  }

  test('contains the opening hours of each day from 31 days ago to a year ahead', async () => {
    const days = [...(await readFeed()).matchAll(/^UID:shop-([\d-]+)@/gm)].map(([, day]) => day)
    expect(days).toEqual(Array.from({ length: 31 + 366 }, (_, index) => addDays(first, index)))
    expect([days[0], days.at(-1)]).toEqual(['2026-10-20', last])
  })

  test('contains the events of these days, and none from before or after', async () => {
    const text = await readFeed({ 早すぎ: addDays(first, -1), 最初: first, 最後: last, 遅すぎ: addDays(last, 1) })
    const titles = [...text.matchAll(/^SUMMARY:(早すぎ|最初|最後|遅すぎ)\r$/gm)].map(([, title]) => title)
    expect(titles).toEqual(['最初', '最後'])
  })
})
