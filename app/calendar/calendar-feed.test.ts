import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ICAL from 'ical.js'
import { expect, onTestFinished, test } from 'vitest'
import { makeBackup, restoreBackup } from '../../db/backup.ts'
import { openDatabase } from '../../db/open.ts'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { identityOf } from '../settings/identity.server.ts'
import { Event } from './event.ts'
import { addEvent } from './events.server.ts'

const id = '00000000-0000-4000-8000-000000000001'
const tasting = { intent: 'add', id, day: '2026-11-26', title: '利き酒の会', content: '三種を少しずつ。' }
const feedPath = '/calendar.ics'
const readUidHosts = (text: string) => new Set(text.replaceAll('\r\n ', '').match(/(?<=^UID:.*@).*(?=\r$)/gm))

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async (settings: object = {}) => {
    const site = await sampleSite(await createDatabase(), settings)
    await site.people()
    const get = (path = feedPath, init: RequestInit = {}) => site.app.request(`http://localhost${path}`, init)
    return { ...site, get }
  }

  onSqlite('writes iCalendar text with leading calendar properties, folded lines and escaped values', async () => {
    const { post, get, db } = await createSite()
    const { facts } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
    const settings = JSON.stringify({ ...JSON.parse(facts), name: '結, 本店; 京都' })
    await db.updateTable('site').set({ facts: settings }).execute()
    const title = `${'長い名前の会'.repeat(15)}🍶, \\; 一`
    await post('approved', '/calendar', {
      ...tasting,
      title,
      content: `ひとつ\r\nふたつ\u000bみっつ${'🍶'.repeat(60)}`,
    })
    const text = await (await get()).text()
    const [head = '', ...entries] = text.split('BEGIN:VEVENT\r\n')
    expect(head.split('\r\n')).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Noren//calendar//JA',
      'METHOD:PUBLISH',
      'NAME:結\\, 本店\\; 京都',
      'X-WR-CALNAME:結\\, 本店\\; 京都',
      'X-WR-TIMEZONE:Asia/Tokyo',
      '',
    ])
    expect(entries.at(-1)).toMatch(/\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n$/)
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n\v]/)
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line), line).toBeLessThanOrEqual(75)
    const unfolded = text.replaceAll('\r\n ', '')
    expect(unfolded).toContain(`\r\nSUMMARY:${'長い名前の会'.repeat(15)}🍶\\, \\\\\\; 一\r\n`)
    expect(unfolded).toContain(`\r\nDESCRIPTION:ひとつ\\nふたつ\\nみっつ${'🍶'.repeat(60)}\r\n`)
  })

  onSqlite('uses the same UIDs in the calendar feed for every host name', async () => {
    const { app } = await createSite({ host: '0.0.0.0' })
    const readHostsOf = async (host: string) =>
      readUidHosts(await (await app.request(`http://${host}/calendar.ics`)).text())
    const hosts = await readHostsOf('guest.example')
    expect([...hosts]).toEqual([expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)])
    expect(await readHostsOf('localhost')).toEqual(hosts)
  })

  onSqlite('retains the first public host in the UIDs when the site moves to another host', async () => {
    const { get, db } = await createSite({ publicOrigin: 'https://first.example:8443' })
    await addEvent(db, id, Event.parse(tasting), { accountId: null, at: new Date(noon).toISOString() })
    for (const path of [feedPath, `/calendar/${id}.ics`])
      expect(readUidHosts(await (await get(path)).text()), path).toEqual(new Set(['first.example:8443']))
    const movedSite = await sampleSite(db, { publicOrigin: 'https://moved.example' })
    const text = await (await movedSite.app.request('http://localhost/calendar.ics')).text()
    expect(readUidHosts(text)).toEqual(new Set(['first.example:8443']))
    expect(text.replaceAll('\r\n ', '')).toContain('URL:https://moved.example/calendar?day=2026-11-26\r\n')
  })

  onSqlite(
    'serves a calendar feed with only a time zone when the site has neither opening hours nor events',
    async () => {
      const { get, db } = await createSite()
      await db.deleteFrom('events').execute()
      for (const table of ['businessWeek', 'specialDays'] as const) await db.deleteFrom(table).execute()
      const calendar = new ICAL.Component(ICAL.parse(await (await get()).text()))
      expect(calendar.getAllSubcomponents().map(({ name }) => name)).toEqual(['vtimezone'])
      expect(new ICAL.Timezone(calendar.getFirstSubcomponent('vtimezone') as ICAL.Component).tzid).toBe('Asia/Tokyo')
    },
  )

  test('assigns the same calendar identity to concurrent processes and to a restored backup', async () => {
    const db = await createDatabase()
    const identities = await Promise.all(
      ['https://one.example', 'https://two.example:8443', undefined].map((origin) => identityOf(db, origin)),
    )
    expect(new Set(identities).size).toBe(1)
    expect(await identityOf(db, 'https://three.example')).toBe(identities[0])
    const folder = mkdtempSync(join(tmpdir(), 'noren-identity-'))
    const file = join(folder, 'backup.noren')
    await makeBackup(db, file, { program: '0.0.0', now: noon })
    await restoreBackup(file, { file: join(folder, 'site.db') })
    const restored = await openDatabase({ file: join(folder, 'site.db') })
    onTestFinished(() => restored.destroy())
    expect(await identityOf(restored, 'https://three.example')).toBe(identities[0])
  })

  onSqlite.each([feedPath, `/calendar/${id}.ics`])(
    'returns 304 for %s when the client has the current version',
    async (path) => {
      const { post, get, clock } = await createSite()
      await post('approved', '/calendar', tasting)
      const first = await get(path)
      const etag = first.headers.get('etag') ?? ''
      expect([first.status, etag]).toEqual([200, expect.stringMatching(/^W\/".+"$/)])
      const repeated = await get(path, { headers: { 'if-none-match': etag } })
      expect([repeated.status, await repeated.text(), repeated.headers.get('etag')]).toEqual([304, '', etag])
      const head = await get(path, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      for (const name of ['etag', 'content-type', 'content-disposition', 'cache-control', 'content-length'])
        expect(head.headers.get(name), name).toBe(first.headers.get(name))
      expect((await get(path, { method: 'HEAD', headers: { 'if-none-match': etag } })).status).toBe(304)

      clock.now += 1000
      await post('approved', '/calendar', { ...tasting, intent: 'save', version: '1', title: '新酒の会' })
      const changed = await get(path, { headers: { 'if-none-match': etag } })
      expect([changed.status, (await changed.text()).includes('新酒の会')]).toEqual([200, true])
      expect(changed.headers.get('etag')).not.toBe(etag)
    },
  )

  onSqlite('serves the cached calendar feed until the content or the day in Japan changes', async () => {
    const { post, get, db, live, clock } = await createSite()
    await post('approved', '/calendar', tasting)
    const readTitle = async () => /利き酒の会|新酒の会|濁り酒の会|甘酒の会/.exec(await (await get()).text())?.[0]
    // This change publishes no topic, so the cached feed does not contain the changed title.
    const updateWithoutTopic = (title: string) => db.updateTable('events').set({ title }).where('id', '=', id).execute()
    expect(await readTitle()).toBe('利き酒の会')
    await updateWithoutTopic('新酒の会')
    clock.now = Date.parse('2026-11-20T23:59:59+09:00')
    expect(await readTitle()).toBe('利き酒の会')
    clock.now += 1000
    expect(await readTitle()).toBe('新酒の会')
    await updateWithoutTopic('濁り酒の会')
    live.publish('hours')
    expect(await readTitle()).toBe('濁り酒の会')
    await post('approved', '/calendar', { ...tasting, intent: 'save', version: '1', title: '甘酒の会' })
    expect(await readTitle()).toBe('甘酒の会')
  })
})
