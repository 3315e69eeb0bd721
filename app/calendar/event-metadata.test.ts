import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { createFormVisitor, unticked } from '../../server/testing-forms.ts'
import { readMetadata } from '../../server/testing-metadata.ts'
import { Event } from './event.ts'
import { addEvent, deleteEvent } from './events.server.ts'

const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const openSite = async () => {
    const site = await sampleSite(await createDatabase())
    await site.people()
    await site.db.deleteFrom('events').execute()
    const add = (id: string, values: object) =>
      addEvent(site.db, id, Event.parse({ day: '2026-11-26', title: id, ...values }), author)
    const readEvents = async (path = '/calendar', person: 'guest' | 'administrator' = 'guest') => {
      const [, list, ...others] = readMetadata(await (await site.as(person, path)).text())
      expect(others).toEqual([])
      return (list?.['@graph'] ?? []) as Record<string, unknown>[]
    }
    const readNames = async (...request: Parameters<typeof readEvents>) =>
      (await readEvents(...request)).map(({ name }) => name)
    return { ...site, ...createFormVisitor(site, 'administrator'), add, readEvents, readNames }
  }

  describe('the metadata of events', () => {
    test('contains the times, the place and the organizer of an event', async () => {
      const { add, readEvents } = await openSite()
      const content = '</script><script>ran = 1</script>"三種"を少しずつ。'
      await add('利き酒の会', { startTime: '18:00', endTime: '21:30', content })
      const [event, ...others] = await readEvents()
      expect(others).toEqual([])
      expect(event).toEqual({
        '@type': 'Event',
        name: '利き酒の会',
        description: content,
        url: 'http://localhost/calendar?event=利き酒の会',
        startDate: '2026-11-26T18:00:00+09:00',
        endDate: '2026-11-26T21:30:00+09:00',
        eventStatus: 'https://schema.org/EventScheduled',
        eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
        location: {
          '@type': 'Place',
          name: 'ダイニング結',
          address: {
            '@type': 'PostalAddress',
            postalCode: '605-0000',
            addressCountry: 'JP',
            addressRegion: '京都府',
            addressLocality: '京都市東山区',
            streetAddress: '結び小路 上る 1-2（見本の住所です）',
          },
        },
        organizer: { '@type': 'Organization', name: 'ダイニング結', url: 'http://localhost/' },
      })
    })

    onSqlite('contains a date without a time, and an end on the next day', async () => {
      const { add, readEvents } = await openSite()
      const dates = {
        終日: [{}, '2026-11-26', '2026-11-26'],
        開始だけ: [{ startTime: '09:00' }, '2026-11-26T09:00:00+09:00', undefined],
        深夜まで: [
          { day: '2026-11-30', startTime: '22:00', endTime: '01:00' },
          '2026-11-30T22:00:00+09:00',
          '2026-12-01T01:00:00+09:00',
        ],
      } as const
      for (const [id, [values]] of Object.entries(dates)) await add(id, values)
      const events = await readEvents()
      expect(events.map(({ name, startDate, endDate }) => [name, startDate, endDate])).toEqual(
        Object.entries(dates).map(([id, [, start, end]]) => [id, start, end]),
      )
    })

    onSqlite('omits past and deleted events and the RSVP events of the circle', async () => {
      const { db, add, readNames, fill } = await openSite()
      await add('昨日', { day: '2026-11-19' })
      await add('今日', { day: '2026-11-20' })
      await add('練習会', { attendance: true })
      await add('削除', {})
      await deleteEvent(db, { id: '削除', version: 1 }, author)
      await add('来月', { day: '2026-12-20' })
      for (const person of ['guest', 'administrator'] as const) {
        expect(await readNames('/calendar', person)).toEqual(['今日'])
        expect(await readNames('/calendar?month=2026-12', person)).toEqual(['来月'])
        expect(await readNames('/calendar?month=2026-10', person)).toEqual([])
      }
      // A site without a circle takes no RSVPs.
      await fill('/pages/tennisrelated/edit', { shown: unticked })
      expect(await readNames()).toEqual(['今日', '練習会'])
    })
  })
})
