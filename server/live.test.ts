import { once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Event } from '../app/calendar/event.ts'
import { addEvent } from '../app/calendar/events.server.ts'
import { collections } from '../app/cards/card.ts'
import { addCard } from '../app/cards/cards.server.ts'
import { noSlots } from '../app/hours/business-day.ts'
import { saveSpecialDays } from '../app/hours/business-days.server.ts'
import { cursorFor } from '../app/live/cursor.ts'
import { createLive } from '../app/live/live.server.ts'
import { LiveStreams, streamLimits } from '../app/live/stream.server.ts'
import { topics } from '../app/live/topics.ts'
import type { Visitor } from '../app/permissions.ts'
import { newSave } from '../app/records/record.ts'
import { addRevision } from '../app/records/revisions.server.ts'
import { openChannel } from '../db/channel.ts'
import { openDatabase } from '../db/open.ts'
import { freshPostgresUrl, freshSqlite, onEachEngine } from '../db/testing.ts'
import { openLine } from '../db/testing-line.ts'
import { stopIntervals } from '../db/testing-timers.ts'
import { WAIT_OPTIONS } from '../db/testing-wait-options.ts'
import { inTransaction } from '../db/transaction.ts'
import { createApp } from './app.ts'
import { readSettings } from './settings.ts'
import { createTestDependencies, createTestLive, listenLocally, sampleSite } from './testing.ts'
import { newFolder } from './testing-disks.ts'
import { listenersOn, waitForListeners } from './testing-processes.ts'

const author = { accountId: null, at: '2026-11-20T03:00:00Z' }
const dish = { title: '湯葉', content: '引き上げたばかり' }
const aoi = {
  accountId: 'aoi',
  name: 'あおい',
  email: 'aoi@example.jp',
  emailVerified: true,
  member: null,
  staff: null,
}
const midori = { ...aoi, accountId: 'midori', name: 'みどり', email: 'midori@example.jp' }
const member = (admin: boolean): Visitor => ({ ...aoi, member: { id: 'm1', administrator: false, admin } })

const forGuests = topics.filter((topic) => !['members', 'answers', 'backups', 'messages'].includes(topic))
const newEvent = Event.parse({ day: '2026-12-01', title: '会' })

/** Collects the events that are published from now on, in order. */
function collectEvents(live: ReturnType<typeof createLive>) {
  const news: unknown[] = []
  live.subscribe((each) => news.push(each))
  return news
}

onEachEngine((fresh) => {
  test('publishes the topics of a change once, after its commit', async () => {
    const { db, live } = await sampleSite(await fresh())
    const events = collectEvents(live)
    await addCard(db, 'dining', dish, author)
    await addEvent(db, crypto.randomUUID(), newEvent, author)
    await inTransaction(db, async (trx) => {
      const closed = { days: ['2026-12-02', '2026-12-03'], reason: '臨時休業', slots: noSlots }
      await saveSpecialDays(trx, closed, new Map(), author)
      await addCard(trx, 'tennisrelated', dish, author)
      expect(events).toHaveLength(2)
    })
    expect(events).toEqual([
      { changed: ['dining'] },
      { changed: ['events'] },
      { changed: ['specialDays', 'tennisrelated'] },
    ])
  })

  test('publishes nothing when a transaction is rolled back', async () => {
    const { db, live } = await sampleSite(await fresh())
    const events = collectEvents(live)
    const failing = inTransaction(db, async (trx) => {
      await addCard(trx, 'dining', dish, author)
      throw new Error('too late')
    })
    await expect(failing).rejects.toThrow('too late')
    expect(events).toEqual([])
  })

  test('sends the requested topics to an open stream', async () => {
    const { address, db } = await serve(await sampleSite(await fresh()))
    const stream = await listen(`${address}/api/live?topics=dining,hours`)
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    expect(stream.headers.get('content-encoding')).toBeNull()
    expect(await stream.next()).toMatchObject({ topics: '' })

    await addEvent(db, crypto.randomUUID(), newEvent, author)
    await addCard(db, 'dining', dish, author)
    expect(await stream.next()).toMatchObject({ topics: 'dining' })
  })

  test('sends the topics that changed since the cursor, or all topics when the cursor is unknown', async () => {
    const { address, db, live } = await serve(await sampleSite(await fresh()))
    const since = live.lastChange()
    await addCard(db, 'dining', dish, author)
    await addEvent(db, crypto.randomUUID(), newEvent, author)
    const first = async (path: string, id?: string) => {
      const stream = await listen(`${address}/api/live${path}`, id ? { 'last-event-id': id } : {})
      return stream.next()
    }
    expect(await first('', since)).toEqual({ topics: 'dining,events', id: live.lastChange() })
    expect(await first(`?since=${since}`)).toMatchObject({ topics: 'dining,events' })
    expect(await first(`?topics=hours&since=${since}`)).toMatchObject({ topics: '' })
    expect(await first(`?since=${live.lastChange()}`)).toMatchObject({ topics: '' })
    for (const unknown of ['otherlife-0', `${live.lastChange()}9`, 'nonsense', '-']) {
      expect(await first('', unknown), unknown).toMatchObject({ topics: forGuests.join() })
    }
  })

  test('returns in JSON the changed topics that a polling client may read', async () => {
    const { address, db, live, requester } = await serve(await sampleSite(await fresh()))
    const poll = async (query: string) => {
      const response = await fetch(`${address}/api/live${query}`, { headers: { accept: 'application/json' } })
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
      return response.json()
    }
    const since = live.lastChange()
    expect(await poll(`?since=${since}`)).toEqual({ id: since, topics: [], room: true })
    await addCard(db, 'dining', dish, author)
    live.publish('events', 'members')
    const id = live.lastChange()
    expect(await poll(`?since=${since}`)).toEqual({ id, topics: ['dining', 'events'], room: true })
    expect(await poll(`?since=${since}&topics=hours,events`)).toMatchObject({ topics: ['events'] })
    expect(await poll(`?since=${id}`)).toMatchObject({ topics: [] })
    for (const unknown of ['otherlife-0', `${id}9`, 'nonsense', '']) {
      expect(await poll(`?since=${unknown}`), unknown).toMatchObject({ id, topics: forGuests })
    }
    requester.visitor = member(true)
    expect(await poll(`?since=${since}`)).toMatchObject({ topics: ['dining', 'events', 'members'] })
    const members = topics.filter((topic) => !['backups', 'messages'].includes(topic))
    expect(await poll('?since=otherlife-0')).toMatchObject({ topics: members })
  })

  test('sends the topic `members` only to currently approved members', async () => {
    // A heartbeat ends the streams of a visitor whose permissions have changed.
    stopIntervals()
    const { address, db, live, requester } = await serve(await sampleSite(await fresh()))
    const forbidden = await fetch(`${address}/api/live?topics=members,answers`)
    expect([forbidden.status, (await fetch(`${address}/api/live?topics=dining,none`)).status]).toEqual([403, 400])
    const guest = await listen(`${address}/api/live?topics=members,dining`)
    await guest.next()
    requester.visitor = member(true)
    const stream = await listen(`${address}/api/live`)
    await stream.next()

    const record = { subject: 'member', subjectId: 'm1', topic: 'members' } as const
    const change = (action: string) =>
      inTransaction(db, (trx) =>
        addRevision(trx, { ...record, version: 1, before: null, after: { id: 'm1' } }, newSave(author, action)),
      )
    await change('edit')
    expect(await stream.next()).toMatchObject({ topics: 'members' })
    live.publish('dining')
    for (const each of [guest, stream]) expect(await each.next()).toMatchObject({ topics: 'dining' })

    requester.visitor = member(false)
    await change('withdraw')
    expect(await stream.next()).toMatchObject({ topics: 'members' })
    // The new cursor contains the changed visitor, so the page notices the difference and reconnects.
    expect(await stream.next()).toEqual({ topics: '', id: cursorFor(requester.visitor, live.lastChange()) })
    await stream.untilEnd()
  })

  test('ends only the streams of an account that has lost a permission', async () => {
    const { address, live, requester } = await serve(await sampleSite(await fresh()))
    requester.visitor = member(true)
    const stream = await listen(`${address}/api/live`)
    await stream.next()
    requester.visitor = null
    const guest = await listen(`${address}/api/live`)
    await guest.next()
    requester.visitor = midori
    const other = await listen(`${address}/api/live`)
    await other.next()
    // The visitor of this stream has not changed, so the stream continues.
    live.endStreamsOf('midori')
    live.endStreamsOf('aoi')
    expect(await stream.next()).toEqual({ topics: '', id: cursorFor(midori, live.lastChange()) })
    await stream.untilEnd()
    live.publish('dining')
    expect(await guest.next()).toEqual({ topics: 'dining', id: live.lastChange() })
    live.publish('dining')
    for (const each of [guest, other]) expect(await each.next()).toMatchObject({ topics: 'dining' })
  })

  test('ends all streams and rejects new streams during shutdown', async () => {
    const { address, live, server } = await serve(await sampleSite(await fresh()))
    const stream = await listen(`${address}/api/live`)
    await stream.next()
    await live.close()
    for (const accept of ['text/event-stream', 'application/json']) {
      expect((await fetch(`${address}/api/live`, { headers: { accept } })).status).toBe(503)
    }
    server.close()
    await Promise.all([stream.untilEnd(), once(server, 'close')])
  })
})

test('sends topics between two processes on one PostgreSQL, even after a lost connection', async () => {
  // A failed check of the channel would publish all topics.
  stopIntervals()
  const url = await freshPostgresUrl()
  const one = await startProcess(url)
  const other = await startProcess(url)
  const stream = await listen(`${other.address}/api/live`)
  await stream.next()
  await one.listening()
  await other.listening()

  await addCard(one.db, 'dining', dish, author)
  expect(await stream.next()).toMatchObject({ topics: 'dining' })

  one.live.publish('hours')
  expect(await stream.next()).toMatchObject({ topics: 'hours' })

  await one.cutListeners()
  // Events may have been lost in the meantime, so all topics are published.
  expect((await stream.next()).topics.split(',')).toContain('events')
  await addEvent(one.db, crypto.randomUUID(), newEvent, author)
  expect(await stream.next()).toMatchObject({ topics: 'events' })
})

test('publishes each commit once per process, including commits of a command', async () => {
  // A failed check of the channel would publish all topics.
  stopIntervals()
  const url = await freshPostgresUrl()
  const one = await startProcess(url)
  const other = await startProcess(url)
  await one.listening()
  const events = [one, other].map(({ live }) => collectEvents(live))
  const [first, last] = [{ changed: ['dining'] }, { changed: ['tennisrelated'] }]
  await addCard(one.db, 'dining', dish, author)
  // A process publishes its own commits at once, and the commits of other processes when PostgreSQL sends a
  // notification.
  await vi.waitFor(() => expect(events).toEqual([[first], [first]]), WAIT_OPTIONS)
  await addEvent(other.db, crypto.randomUUID(), newEvent, author)
  const command = await openDatabase({ url, file: '' })
  await addCard(command, 'tennisrelated', dish, author)
  await command.destroy()
  // Notifications arrive in commit order, so no event follows the last commit.
  await vi.waitFor(() => expect([events[0]?.at(-1), events[1]?.at(-1)]).toEqual([last, last]), WAIT_OPTIONS)
  for (const received of events) expect(received).toEqual([first, { changed: ['events'] }, last])
})

test('reopens a channel whose connection has silently died', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const url = await freshPostgresUrl()
  const one = await startProcess(url)
  const line = await openLine(url)
  onTestFinished(() => line.close())
  const other = await startProcess(url, line.url)
  await one.listening()
  const events = collectEvents(other.live)
  line.hold()
  await addCard(one.db, 'dining', dish, author)
  await vi.advanceTimersByTimeAsync(10_000)
  line.resume()
  // The lost events are unknown, so all topics are published.
  await vi.waitFor(() => expect(events).toEqual([{ changed: topics }]), WAIT_OPTIONS)
})

test('ends the streams in the other process when a session ends', async () => {
  // A heartbeat ends the streams of a visitor whose permissions have changed.
  stopIntervals()
  const url = await freshPostgresUrl()
  const one = await startProcess(url)
  const other = await startProcess(url)
  other.requester.visitor = member(true)
  const stream = await listen(`${other.address}/api/live`)
  await stream.next()
  await other.listening()
  other.requester.visitor = null
  one.live.endStreamsOf('aoi')
  await stream.untilEnd()
})

test('publishes all topics after a commit of another process on the same SQLite file', async () => {
  const file = join(newFolder(), 'site.db')
  const [database, otherDatabase] = [await openDatabase({ file }), await openDatabase({ file })]
  onTestFinished(async () => void (await Promise.all([database.destroy(), otherDatabase.destroy()])))
  const log = pino({ level: 'silent' })
  const channel = openChannel(undefined, { db: database, log })
  const live = createLive(database, channel)
  onTestFinished(() => live.close())
  const events = collectEvents(live)
  // The first poll is complete. The next poll fails, which must not stop the polling.
  await sql`pragma data_version`.execute(database)
  vi.spyOn(database, 'getExecutor').mockImplementationOnce(() => {
    throw new Error('disk I/O error')
  })
  await addCard(otherDatabase, 'dining', dish, author)
  await vi.waitFor(() => expect(events).toEqual([{ changed: topics }]), WAIT_OPTIONS)
})

test('rejects more than two hundred streams of a network until one of the streams closes', async () => {
  const { from } = await siteSeenFrom()
  const neighbours = Array.from({ length: 200 }, (_, n) => `2001:db8:1:2::${n.toString(16)}`)
  const opened = await Promise.all(neighbours.map((address) => from(address)))
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
  const refused = await from('2001:db8:1:2:ffff::1')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect((await from('2001:db8:1:3::1')).status).toBe(200)

  const poll = async (address: string) => (await from(address, { accept: 'application/json' })).json()
  expect(await poll('2001:db8:1:2:ffff::1')).toMatchObject({ topics: [], room: false })
  expect(await poll('2001:db8:1:3::1')).toMatchObject({ room: true })
  await opened[0]?.body?.cancel()
  expect(await poll('2001:db8:1:2:ffff::1')).toMatchObject({ room: true })
  expect((await from('2001:db8:1:2:ffff::1')).status).toBe(200)
  expect((await from('2001:db8:1:2:ffff::1')).status).toBe(429)
})

test('counts streams by the network in X-Forwarded-For when a trusted proxy sends the header', async () => {
  const { from } = await siteSeenFrom(readSettings({ LIVE_STREAMS_PER_NETWORK: '1', TRUSTED_PROXY: '127.0.0.1' }))
  const behind = async (address: string) => (await from('127.0.0.1', { 'x-forwarded-for': address })).status
  expect([await behind('192.0.2.1'), await behind('192.0.2.2')]).toEqual([200, 200])
  expect([await behind('192.0.2.1'), await behind('9.9.9.9, 192.0.2.2')]).toEqual([429, 429])
})

test('disconnects a client that does not read its stream', async () => {
  const db = await freshSqlite()
  const live = createTestLive(db)
  const streams = new LiveStreams(live, { ...streamLimits, perNetwork: 10, unread: 8 })
  const request = () => new Request('http://localhost/api/live?topics=dining')
  const slow = await streams.open(request(), 'a', async () => null)
  expect(streams.count()).toBe(1)
  for (let times = 0; times < 20; times += 1) live.publish('dining')
  expect(streams.count()).toBe(0)
  await expect(slow.text()).rejects.toThrow('too slow')
})

test('ends a stream when its visitor loses a permission while the stream opens', async () => {
  const db = await freshSqlite()
  const streams = new LiveStreams(createTestLive(db), { ...streamLimits, perNetwork: 10 })
  const visitors = [member(true), member(false)]
  const readVisitor = async () => visitors.shift() ?? null
  const { body } = await streams.open(new Request('http://localhost/api/live?topics=members'), 'a', readVisitor)
  await vi.waitFor(() => expect(streams.count()).toBe(0), WAIT_OPTIONS)
  expect((await new Response(body).text()).split('\n')).toContain('data: ')
})

test('sends heartbeats, and limits the number and lifetime of streams', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const db = await freshSqlite()
  const streams = new LiveStreams(createTestLive(db), {
    ...streamLimits,
    heartbeatMs: 1000,
    lifetimeMs: 10_000,
    streams: 2,
    perNetwork: 2,
  })
  let networks = 0
  const open = (headers = {}) =>
    streams.open(new Request('http://localhost/api/live', { headers }), `${++networks}`, async () => null)
  const reader = (await open()).body?.getReader()
  const read = async () => {
    const { value, done } = (await reader?.read()) ?? {}
    return done ? 'end' : new TextDecoder().decode(value)
  }
  expect(await read()).toContain('id: ')
  const waiting = read()
  vi.advanceTimersByTime(1000)
  expect(await waiting).toBe('data:\n\n')

  const cancelled = await open()
  const refused = await open()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
  expect(await (await open({ accept: 'application/json' })).json()).toMatchObject({ room: false })
  await cancelled.body?.cancel()
  expect(streams.count()).toBe(1)

  let last = ''
  for (let second = 0; second < 12 && last !== 'end'; second += 1) {
    const next = read()
    vi.advanceTimersByTime(1000)
    last = await next
  }
  expect([last, streams.count()]).toEqual(['end', 0])
})

test('opens no stream when the method is HEAD', async () => {
  const { get } = await sampleSite()
  const response = await get('/api/live', { method: 'HEAD' })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
})

test('has a topic for every collection', () => {
  expect(topics).toEqual(expect.arrayContaining(Object.keys(collections)))
})

/** Creates the sample shop. `from` requests a stream from an IP address. */
async function siteSeenFrom(settings?: Parameters<typeof sampleSite>[1]) {
  const { app } = await sampleSite(undefined, settings)
  const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
    app.request('http://localhost/api/live', { headers }, { incoming: { socket: { remoteAddress } } })
  return { from }
}

/** Serves a site on a port. All requests come from the visitor in `requester`. */
async function serve(site: Pick<Awaited<ReturnType<typeof sampleSite>>, 'db' | 'live'>) {
  const requester: { visitor: Visitor } = { visitor: null }
  const app = createApp({ ...createTestDependencies(site.db, site.live), visitorOf: async () => requester.visitor })
  const { server, port } = await listenLocally(app)
  onTestFinished(async () => {
    await site.live.close()
    if (server.listening) server.close()
  })
  return { ...site, address: `http://127.0.0.1:${port}`, server, requester }
}

async function startProcess(url: string, channelUrl = url) {
  const db = await openDatabase({ url, file: '' })
  onTestFinished(() => db.destroy())
  const live = createLive(db, openChannel(channelUrl, { db, log: pino({ level: 'silent' }) }))
  return {
    ...(await serve({ db, live })),
    listening: () => waitForListeners(db, 2),
    cutListeners: async () => {
      for (const { pid } of await listenersOn(db)) await sql`select pg_terminate_backend(${pid})`.execute(db)
    },
  }
}

async function listen(url: string, headers: Record<string, string> = {}) {
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const response = await fetch(url, { headers: { ...headers, 'accept-encoding': 'br' }, signal: controller.signal })
  expect(response.status).toBe(200)
  const reader = (response.body as ReadableStream).pipeThrough<string>(new TextDecoderStream()).getReader()
  let text = ''
  return {
    headers: response.headers,
    /** Resolves with the next message. */
    async next(): Promise<{ topics: string; id: string }> {
      while (!text.includes('\n\n')) {
        const { value, done } = await reader.read()
        if (done) throw new Error('Stream ended; expected another message')
        text += value
      }
      const message = text.slice(0, text.indexOf('\n\n'))
      text = text.slice(message.length + 2)
      return { topics: /^data: ?(.*)$/m.exec(message)?.[1] ?? '', id: /^id: (.*)$/m.exec(message)?.[1] ?? '' }
    },
    async untilEnd() {
      while (!(await reader.read()).done);
    },
  }
}
