import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { dataPathOf, jsonCall, noon, sampleSite } from '../../server/testing.ts'
import { crawl } from '../../server/testing-crawl.ts'
import type { Person } from '../../server/tools/demo.ts'
import { readPageToEdit, savePage } from '../pages/pages.server.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'

const TITLE = '内輪の合宿'
const CONTENT = '秘密の宿に集まります。'
const day = '2026-11-28'
const author = { accountId: null, at: new Date(noon).toISOString() }
const seeing: Person[] = ['approved', 'administrator', 'manager', 'editor']
const others: Person[] = ['guest', 'signedIn', 'applicant']

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const siteWithEvent = async (fields: Record<string, string> = {}) => {
    const site = await sampleSite(await fresh())
    await site.people()
    await site.staff()
    const id = randomUUID()
    const event = { intent: 'add', id, day, title: TITLE, content: CONTENT, membersOnly: 'yes', ...fields }
    expect((await site.post('approved', '/calendar', event)).status).toBe(200)
    const readText = async (person: Person, path: string) => (await site.as(person, path)).text()
    const row = () => site.db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    return { ...site, id, readText, row }
  }

  describe('an event for members only', () => {
    test('appears on the pages and in the calls of members and staff, and for nobody else', async () => {
      const { id, readText, as } = await siteWithEvent({ attendance: 'yes' })
      const calendar = `/calendar?month=2026-11&event=${id}`
      const paths = [calendar, dataPathOf(calendar), '/calendar', '/api/collections/events']
      for (const path of paths) {
        for (const person of seeing) expect(await readText(person, path), `${person} ${path}`).toContain(TITLE)
        for (const person of others) expect(await readText(person, path), `${person} ${path}`).not.toContain(TITLE)
      }
      expect(await readText('approved', calendar)).toContain('公開範囲：承認されたメンバー')
      expect(await readText('approved', '/memberlist')).toContain(TITLE)
      for (const path of [`/calendar/${id}.ics`, `/api/collections/events/${id}`]) {
        for (const person of seeing) expect((await as(person, path)).status, `${person} ${path}`).toBe(200)
        for (const person of others) expect((await as(person, path)).status, `${person} ${path}`).toBe(404)
      }
    })

    test('is in no public feed and no structured data of any visitor', async () => {
      const { id, readText } = await siteWithEvent()
      for (const person of [...seeing, ...others]) {
        expect(await readText(person, '/calendar.ics'), person).not.toContain(id)
        const [, metadata = ''] = (await readText(person, '/calendar')).split('application/ld+json')
        expect(metadata.split('</script>')[0], person).not.toContain(TITLE)
      }
    })

    onSqlite('is nowhere on the pages, data and files that a guest can reach', async () => {
      const site = await siteWithEvent()
      const { version } = await readSiteToEdit(site.db)
      await saveSite(site.db, { version, facts: { otherLanguages: true } }, author)
      const starts = [
        ...['/', '/sitemap.xml', '/calendar', '/calendar.ics', `/calendar?month=2026-11&event=${site.id}`],
        ...['/en/calendar', `/en/calendar?event=${site.id}`, '/api/collections/events'],
        ...[`/history/event/${site.id}`, '/bin', '/translations/en/events', '/memberlist', `/calendar/${site.id}.ics`],
      ]
      const open = await crawl(site, 'guest', starts, { maxQueries: 4 })
      expect(open.length).toBeGreaterThan(60)
      for (const { url, text } of open) {
        expect.soft(text.includes(TITLE) || text.includes(CONTENT), url).toBe(false)
        if (!url.includes(site.id)) expect.soft(text.includes(site.id), url).toBe(false)
      }
      // The same crawl finds the event for everyone once the event is public.
      const { version: seen } = await site.row()
      const event = { intent: 'save', id: site.id, version: `${seen}`, day, title: TITLE, membersOnly: '' }
      expect((await site.post('approved', '/calendar', event)).status).toBe(200)
      for (const path of ['/calendar', '/calendar.ics', '/en/calendar', '/api/collections/events'])
        expect(await site.readText('guest', path), path).toContain(TITLE)
    })

    test('disappears for a member at once when the approval ends, and for guests when it becomes members-only', async () => {
      const site = await siteWithEvent()
      const { id, db, readText } = site
      expect(await readText('approved', '/calendar')).toContain(TITLE)
      await db.updateTable('members').set({ admin: false }).where('accountId', '=', 'demo-approved').execute()
      expect(await readText('approved', '/calendar')).not.toContain(TITLE)
      expect((await site.as('approved', `/calendar/${id}.ics`)).status).toBe(404)

      const save = async (membersOnly: string) => {
        const event = { intent: 'save', id, version: `${(await site.row()).version}`, day, title: TITLE, membersOnly }
        return (await site.post('administrator', '/calendar', event)).status
      }
      // The page of guests is cached after its first request.
      expect([await save(''), await readText('guest', '/calendar')]).toEqual([200, expect.stringContaining(TITLE)])
      expect([await save('yes'), (await readText('guest', '/calendar')).includes(TITLE)]).toEqual([200, false])
    })

    test('keeps its visibility in history, bin and undo, which only editors see', async () => {
      const site = await siteWithEvent()
      const { id, db, readText, row } = site
      const saves = async () => {
        const all = db.selectFrom('revisions').select(['saveId', 'id']).where('subjectId', '=', id).orderBy('version')
        return all.execute()
      }
      const open = { intent: 'save', id, version: '1', day, title: TITLE, membersOnly: '' }
      await site.post('approved', '/calendar', open)
      expect(await row()).toMatchObject({ membersOnly: false, version: 2 })
      expect(await readText('approved', `/history/event/${id}`)).toContain('公開範囲')
      expect(await readText('guest', `/history/event/${id}`)).not.toContain(TITLE)
      await site.post('approved', '/undo', { save: (await saves()).at(-1)?.saveId ?? '' })
      expect(await row()).toMatchObject({ membersOnly: true, version: 3 })

      await site.post('approved', '/calendar', { intent: 'delete', id, version: '3' })
      expect(await readText('approved', '/bin')).toContain(TITLE)
      for (const person of others) expect(await readText(person, '/bin'), person).not.toContain(TITLE)
      await site.post('approved', '/undo', { save: (await saves()).at(-1)?.saveId ?? '' })
      expect(await row()).toMatchObject({ membersOnly: true, deletedAt: null })
      expect(await readText('guest', '/calendar')).not.toContain(TITLE)
    })

    test('is written and changed by JSON calls, in which everyone is the default', async () => {
      const site = await siteWithEvent()
      const call = async (path: string, body: object, method = 'POST') => {
        const response = await site.as('approved', `/api/collections/events${path}`, jsonCall(body, method))
        return response.json()
      }
      const { id } = await call('', { date: day, title: '公開の会' })
      expect(await (await site.as('guest', `/api/collections/events/${id}`)).json()).toMatchObject({
        membersOnly: false,
      })
      await call(`/${id}`, { membersOnly: true, version: 1 }, 'PATCH')
      expect((await site.as('guest', `/api/collections/events/${id}`)).status).toBe(404)
      expect(await (await site.as('approved', `/api/collections/events/${id}`)).json()).toMatchObject({
        membersOnly: true,
      })
    })

    test('stays hidden while the circle is switched off, and its form has no choice of visibility', async () => {
      const site = await siteWithEvent()
      const page = await readPageToEdit(site.db, 'tennisrelated')
      await savePage(site.db, 'tennisrelated', { version: page?.version ?? 0, facts: { shown: false } }, author)
      for (const person of ['guest', 'approved'] as const)
        expect(await site.readText(person, '/calendar'), person).not.toContain(TITLE)
      expect(await site.readText('editor', '/calendar')).toContain(TITLE)
      const event = { intent: 'save', id: site.id, version: '1', day, title: '別の題' }
      expect((await site.post('editor', '/calendar', event)).status).toBe(200)
      expect(await site.row()).toMatchObject({ title: '別の題', membersOnly: true })
    })
  })
})
