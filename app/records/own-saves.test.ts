import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { dataPathOf, sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { readForms } from '../../server/testing-forms.ts'
import type { Person } from '../../server/tools/demo.ts'
import { listCards } from '../cards/cards.server.ts'
import { ownSaves, rememberSave } from '../forms/own-saves.ts'
import type { SaveResult } from '../forms/save-result.ts'
import { scheduleRows } from '../hours/business-day.ts'
import { noHourFields } from '../hours/hour-fields.ts'
import { type MemberFields, memberFieldNames } from '../members/member.ts'
import { editMember } from '../members/member-editing.server.ts'

type Fields = Record<string, string>
type Form = { record: [subject: string, id: string]; path: string; fields: (count: number) => Fields }

const around = { notify: async () => {}, readVerifiedEmails: async () => new Map<string, string>(), origin: '' }
const saturday = '2026-11-21'
const eventId = '00000000-0000-4000-8000-000000000001'
const event = { id: eventId, day: '2026-11-26', title: '利き酒の会', content: '三種を少しずつ。' }
const hours = (count: number) => ({ ...noHourFields, starttime1_hour: '08', endtime1_hour: String(10 + count) })
const row = (name: string, count: number) =>
  Object.entries({ open_or_close: 'open', ...hours(count) }).map(([field, value]) => [`${name}.${field}`, value])

onEachEngine((fresh) => {
  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    const visitors = await sample.people()
    await sample.staff()
    const { db, clock } = sample
    const send = async (person: Person, path: string, fields: Fields) => {
      clock.now += 1000
      return sample.post(person, dataPathOf(path), fields)
    }
    const revisionsNewestFirst = () =>
      db.selectFrom('revisions').selectAll().orderBy('at', 'desc').orderBy('version', 'desc')
    const readLastSave = async () => (await revisionsNewestFirst().executeTakeFirstOrThrow()).saveId
    const revisionsOf = async ([subject, id]: Form['record']) =>
      (await revisionsNewestFirst().execute()).filter((each) => each.subject === subject && each.subjectId === id)
    /** Sends a form and returns the ID of its save, which the tab remembers from the response. */
    const saveForm = async (person: Person, path: string, fields: Fields) => {
      const before = await readLastSave()
      const response = await send(person, path, fields)
      expect(response.status, JSON.stringify(fields)).toBeLessThan(400)
      const save = await readLastSave()
      expect(save).not.toBe(before)
      rememberSave(await actionDataOf<SaveResult>(response))
      expect(ownSaves().split(' ').at(-1), JSON.stringify(fields)).toBe(save)
      return save
    }
    const readForm = async (path: string, name: string) => {
      const html = await (await sample.as('administrator', path)).text()
      return Object.fromEntries(readForms(html).find(({ names }) => names.has(name))?.fields ?? [])
    }
    const readStaffId = async () =>
      (await db.selectFrom('staff').select('id').where('accountId', '=', 'demo-editor').executeTakeFirstOrThrow()).id
    return { ...sample, visitors, send, saveForm, readLastSave, revisionsOf, readForm, readStaffId }
  }
  type Site = Awaited<ReturnType<typeof createSite>>
  type Forms = Record<string, (sample: Site) => Promise<Form>>

  // The names are those of the form tables in tests/e2e. One form of each record type, then the other forms.
  const forms: Forms = {
    'other hours for today': async () => ({
      record: ['specialDay', saturday],
      path: `/today?day=${saturday}`,
      fields: (count) => ({
        ...{ intent: 'change', day: saturday, version: '0', reason: '臨時営業', sure: 'yes' },
        ...hours(count),
      }),
    }),
    'a special day': async () => ({
      record: ['specialDay', '2026-12-31'],
      path: '/bussinessdays?table=special',
      fields: (count) => ({
        ...{ intent: 'special', first: '2026-12-31', replacing: '2026-12-31:1', reason: '臨時営業', sure: 'yes' },
        ...hours(count),
      }),
    }),
    'the weekly hours by day': async () => ({
      record: ['businessWeek', 'week'],
      path: '/bussinessdays?by=day',
      fields: (count) => ({
        ...{ intent: 'week', version: '1', beside: 'stays' },
        ...Object.fromEntries(scheduleRows.flatMap((name) => row(name, count))),
      }),
    }),
    'an event': async ({ send }) => {
      await send('administrator', '/calendar', { intent: 'add', ...event })
      return {
        record: ['event', eventId],
        path: '/calendar',
        fields: (count) => ({ intent: 'save', version: '1', ...event, title: `${count}回目` }),
      }
    },
    'a dish': async ({ db }) => {
      const [dish] = await listCards(db, 'dining')
      return {
        record: ['card', dish?.id ?? ''],
        path: `/dining/${dish?.id}/edit`,
        fields: (count) => ({ intent: 'save', version: '1', title: `${count}皿目`, content: '内容' }),
      }
    },
    'the texts of a page': async ({ readForm }) => {
      const path = '/pages/access/edit'
      const fields = await readForm(path, 'introduction')
      return {
        record: ['page', 'access'],
        path,
        fields: (count) => ({ ...fields, introduction: `${count}つめの文章` }),
      }
    },
    'a section of the site settings': async ({ readForm }) => {
      const fields = await readForm('/site', 'seats')
      return { record: ['site', 'site'], path: '/site', fields: (count) => ({ ...fields, seats: `${count}席` }) }
    },
    'another role for a staff member': async ({ readStaffId }) => {
      const id = await readStaffId()
      return {
        record: ['staff', id],
        path: '/staff',
        fields: (count) => ({
          ...{ intent: `give ${id}`, id, version: '1' },
          role: count % 2 === 0 ? 'editing' : 'administration',
        }),
      }
    },
  }
  const otherForms: Forms = {
    'closing today': async () => ({
      record: ['specialDay', saturday],
      path: `/today?day=${saturday}`,
      fields: (count) => ({
        ...{ intent: count === 1 ? 'change' : 'close', day: saturday, version: '0', sure: 'yes' },
        ...(count === 1 && { reason: '臨時営業', ...hours(count) }),
      }),
    }),
    'the name of a guest': async ({ db, send }) => {
      await send('administrator', '/calendar', { ...event, attendance: 'yes', intent: 'add' })
      const path = `/calendar/${eventId}/people`
      await send('administrator', path, { name: 'ゲスト', once: '' })
      const { id } = await db.selectFrom('eventGuests').select('id').executeTakeFirstOrThrow()
      return { record: ['guest', id], path, fields: (count) => ({ guest: id, version: '1', name: `ゲスト${count}` }) }
    },
    'the notice of a closed day': async ({ send }) => {
      const path = `/today?day=${saturday}`
      await send('administrator', path, { intent: 'close', day: saturday, version: '0' })
      return {
        record: ['specialDay', saturday],
        path,
        fields: (count) => ({ intent: 'words', day: saturday, version: '1', cause: `${count}つめの理由` }),
      }
    },
    'the weekly hours': async ({ readForm }) => {
      const path = '/bussinessdays'
      const fields = await readForm(path, 'group1.starttime1_hour')
      return {
        record: ['businessWeek', 'week'],
        path,
        fields: (count) => ({
          ...fields,
          ...{ intent: 'groups', beside: 'stays', closedDays: 'open', 'group1.endtime1_hour': `0${7 + count}` },
        }),
      }
    },
    'moving an event': async ({ send }) => {
      await send('administrator', '/calendar', { intent: 'add', ...event })
      return {
        record: ['event', eventId],
        path: '/calendar',
        fields: (count) => ({ intent: 'move', version: '1', id: eventId, day: `2026-12-0${count}` }),
      }
    },
    'a card': async ({ db }) => {
      const [card] = await listCards(db, 'vbacreate')
      return {
        record: ['card', card?.id ?? ''],
        path: `/firestoreservice/${card?.id}/edit`,
        fields: (count) => ({ intent: 'save', version: '1', title: `${count}回目`, content: '内容' }),
      }
    },
    'the order of the dishes': async ({ db }) => {
      const [first = '', second = '', third = '', ...others] = (await listCards(db, 'dining', { drafts: true })).map(
        ({ id }) => id,
      )
      const seen = [first, second, third, ...others].join()
      return {
        record: ['card', first],
        path: '/dining',
        fields: (count) => ({
          ...{ intent: 'reorder', seen },
          wanted: [...(count === 1 ? [second, first, third] : [second, third, first]), ...others].join(),
        }),
      }
    },
  }

  test.each(Object.entries({ ...forms, ...otherForms }))(
    'saves %s from a stale form when all later saves are from the same tab',
    async (_, prepare) => {
      const sample = await createSite()
      const { send, saveForm, revisionsOf } = sample
      const { record, path, fields } = await prepare(sample)
      const first = await saveForm('administrator', path, fields(1))
      const stored = (await revisionsOf(record)).length
      // A request from another tab does not list the saves of this tab.
      expect((await send('administrator', path, fields(2))).status).toBe(409)
      expect((await send('administrator', path, { ...fields(2), own: 'nothing' })).status).toBe(409)
      expect(await revisionsOf(record)).toHaveLength(stored)
      const second = await saveForm('administrator', path, { ...fields(2), own: first })
      const undone = await saveForm('administrator', '/undo', { save: second })
      const own = [first, second, undone].join(' ')
      await saveForm('administrator', path, { ...fields(2), own })
      expect(await revisionsOf(record)).toHaveLength(stored + 3)
    },
  )

  test.each(Object.entries(forms))(
    'rejects %s from a stale form when a later save is from another person',
    async (_, prepare) => {
      const sample = await createSite()
      const { send, saveForm, revisionsOf } = sample
      const { record, path, fields } = await prepare(sample)
      const own = [await saveForm('administrator', path, fields(1))]
      // Saves of another account do not count, even if a form lists these saves.
      expect((await send('manager', path, { ...fields(2), own: own.join(' ') })).status).toBe(409)
      const saveCurrent = async (person: Person, count: number) => {
        const [{ version } = { version: 0 }] = await revisionsOf(record)
        const replacing = `${record[1]}:${version}`
        own.push(await saveForm(person, path, { ...fields(count), version: `${version}`, replacing }))
      }
      const expectConflict = async (count: number) => {
        const before = await revisionsOf(record)
        expect((await send('administrator', path, { ...fields(count), own: own.join(' ') })).status).toBe(409)
        expect(await revisionsOf(record)).toEqual(before)
      }
      await saveCurrent('manager', 2)
      await expectConflict(3)
      // A later save of the same tab does not include the save of the other person.
      await saveCurrent('administrator', 3)
      await expectConflict(4)
    },
  )

  const deletions: Record<string, (sample: Site) => Promise<{ path: string; fields: Fields }>> = {
    'removing a special day': async ({ send }) => {
      const fields = { intent: 'special', first: '2026-12-31', reason: '臨時休業', ...noHourFields }
      await send('administrator', '/bussinessdays?table=special', fields)
      const path = '/bussinessdays?table=special&day=2026-12-31'
      return { path, fields: { intent: 'remove', first: '2026-12-31', version: '1' } }
    },
    'the deletion of an event': async ({ send }) => {
      await send('administrator', '/calendar', { intent: 'add', ...event })
      return { path: '/calendar', fields: { intent: 'delete', id: eventId, version: '1' } }
    },
    'the deletion of a card': async ({ db }) => {
      const [card] = await listCards(db, 'vbacreate')
      return { path: `/firestoreservice/${card?.id}/edit`, fields: { intent: 'delete', version: '1' } }
    },
    'the deletion of a page': async ({ send }) => {
      await send('administrator', '/pages', { title: '頁', name: 'owari' })
      return { path: '/pages/p-owari/edit', fields: { intent: 'delete', version: '1' } }
    },
    'the removal of a staff member': async ({ readStaffId }) => {
      const id = await readStaffId()
      return { path: '/staff', fields: { intent: `end ${id}`, id, version: '1' } }
    },
  }

  test('deletes a record again from a stale form only when the undo is from the same tab', async () => {
    const sample = await createSite()
    const { send, saveForm } = sample
    for (const [name, prepare] of Object.entries(deletions)) {
      const { path, fields } = await prepare(sample)
      const own = [await saveForm('administrator', path, fields)]
      own.push(await saveForm('administrator', '/undo', { save: own[0] ?? '' }))
      expect((await send('administrator', path, fields)).status, name).toBe(409)
      expect((await send('manager', path, { ...fields, own: own.join(' ') })).status, name).toBe(409)
      await saveForm('administrator', path, { ...fields, own: own.join(' ') })
    }
  })

  test('deletes a dish from a stale form when the same tab has pressed the sold-out switch twice', async () => {
    const { db, send, saveForm } = await createSite()
    const [dish] = await listCards(db, 'dining')
    const own: string[] = []
    for (const intent of ['sold out', 'sold out'])
      own.push(await saveForm('administrator', '/dining', { intent, id: dish?.id ?? '', own: own.join(' ') }))
    const path = `/dining/${dish?.id}/edit`
    const deletion = { intent: 'delete', version: '1' }
    expect((await send('administrator', path, deletion)).status).toBe(409)
    await saveForm('administrator', path, { ...deletion, own: own.join(' ') })
  })

  test('reports success without a save when a day already has the requested state', async () => {
    const { send, saveForm, revisionsOf } = await createSite()
    const path = `/today?day=${saturday}`
    const day = { day: saturday, version: '0' }
    const unchanged = await send('administrator', path, { ...day, intent: 'usual' })
    expect([unchanged.status, await unchanged.text()]).toEqual([200, expect.stringContaining('は通常どおりです。')])
    await saveForm('administrator', path, { ...day, intent: 'close' })
    const closed = await send('manager', path, { ...day, intent: 'close' })
    expect([closed.status, await closed.text()]).toEqual([200, expect.stringContaining('は「臨時休業」です。')])
    expect(await revisionsOf(['specialDay', saturday])).toHaveLength(1)
    expect(
      (await send('manager', path, { ...day, intent: 'change', reason: '臨時営業', sure: 'yes', ...hours(1) })).status,
    ).toBe(409)
  })

  test('accepts a repeated deletion only from the tab that deleted the record', async () => {
    const sample = await createSite()
    const { send, saveForm } = sample
    const { 'removing a special day': _, ...repeatable } = deletions
    for (const prepare of Object.values(repeatable)) {
      const { path, fields } = await prepare(sample)
      const own = await saveForm('administrator', path, fields)
      expect((await send('administrator', path, fields)).status, path).toBe(404)
      expect((await send('manager', path, { ...fields, own })).status, path).toBe(404)
      const repeated = await send('administrator', path, { ...fields, own })
      expect(repeated.status, path).toBeLessThan(400)
      expect(await actionDataOf<SaveResult>(repeated), path).toMatchObject({
        done: expect.stringMatching(/しました/),
      })
      const unknown = { intent: 'delete', id: '00000000-0000-4000-8000-000000000002', version: '1', own }
      expect((await send('administrator', '/calendar', unknown)).status).toBe(404)
      if (fields.intent !== 'delete') continue
      const late = await send('administrator', path, { ...fields, ...event, intent: 'save', own })
      expect(late.status, path).toBe(404)
    }
  })

  test('deletes and reorders slides from a stale form when the same tab has reordered the slides', async () => {
    const { db, send, saveForm } = await createSite()
    const readIds = async () => (await listCards(db, 'home', { drafts: true })).map(({ id }) => id)
    const seen = await readIds()
    const [first = '', second = '', third = '', ...others] = seen
    const reorder = (from: string[], to: string[], own: string[] = []) => ({
      ...{ intent: 'reorder', seen: from.join(), wanted: to.join(), own: own.join(' ') },
    })
    const swapped = [second, first, third, ...others]
    const own = [await saveForm('administrator', '/?index', reorder(seen, swapped))]
    own.push(await saveForm('administrator', '/undo', { save: own[0] ?? '' }))
    // The page still shows the order before the undo.
    const last = [second, third, first, ...others]
    expect((await send('administrator', '/?index', reorder(swapped, last))).status).toBe(409)
    expect((await send('manager', '/?index', reorder(swapped, last, own))).status).toBe(409)
    const [dish] = await listCards(db, 'dining')
    const dishFields = { intent: 'save', version: '1', title: '先付', content: '胡麻豆腐' }
    own.push(await saveForm('administrator', `/firestoreservice/${dish?.id}/edit`, dishFields))
    own.push(await saveForm('administrator', '/?index', reorder(swapped, last, own)))
    expect(await readIds()).toEqual(last)

    const slide = `/firestoreservice/${second}/edit`
    const deletion = { intent: 'delete', version: '1' }
    expect((await send('administrator', slide, deletion)).status).toBe(409)
    own.push(await saveForm('administrator', slide, { ...deletion, own: own.join(' ') }))
    // A deleted slide stays deleted. A restored slide retains its position.
    own.push(await saveForm('administrator', '/?index', reorder(last, [first, second, third, ...others], own)))
    expect(await readIds()).toEqual([first, third, ...others])
    own.push(await saveForm('administrator', '/undo', { save: own.at(-2) ?? '' }))
    own.push(
      await saveForm('administrator', '/?index', reorder([first, third, ...others], [third, first, ...others], own)),
    )
    const now = await readIds()
    expect(now.filter((id) => id !== second)).toEqual([third, first, ...others])
    expect(now).toContain(second)

    own.push(await saveForm('manager', '/?index', reorder(now, now.toReversed())))
    expect((await send('administrator', '/?index', reorder(now, [...now.slice(1), third], own))).status).toBe(409)
    expect(await readIds()).toEqual(now.toReversed())
  })

  test('accepts a second RSVP from a stale form only when the first RSVP is from the same tab', async () => {
    const { db, send, saveForm } = await createSite()
    await send('administrator', '/calendar', { intent: 'add', ...event, attendance: 'yes' })
    const rsvp = (fields: Fields) => ({ event: eventId, version: '0', ...fields })
    const own = [await saveForm('approved', '/memberlist', rsvp({ answer: 'yes' }))]
    expect((await send('approved', '/memberlist', rsvp({ answer: 'no' }))).status).toBe(409)
    expect((await send('approved', '/memberlist', rsvp({ answer: 'no', own: 'other' }))).status).toBe(409)
    for (const next of ['no', '', 'maybe'])
      own.push(await saveForm('approved', '/memberlist', rsvp({ answer: next, own: own.join(' ') })))
    const stored = await db.selectFrom('answers').select(['answer', 'version']).execute()
    expect(stored).toEqual([{ answer: 'maybe', version: 4 }])
  })

  test('saves a member from a stale form when all later saves are from the same tab', async () => {
    const { db, clock, visitors } = await createSite()
    const id = visitors.approved?.member?.id ?? ''
    const member = await db.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const fields = Object.fromEntries(memberFieldNames.map((name) => [name, member[name]])) as MemberFields
    const edit = async (person: Person, profile: string, own: string[] = []) => {
      clock.now += 1000
      const form = { owner: '', form: 'member', key: '', at: new Date(clock.now).toISOString() }
      return editMember(
        db,
        visitors[person],
        id,
        { fields: { ...fields, profile }, flags: null, base: member.version, own },
        { form, around },
      )
    }
    const saveOf = (edited: Awaited<ReturnType<typeof edit>>) => edited.ok ?? ''
    const own = [saveOf(await edit('administrator', '一つめ'))]
    expect(await edit('administrator', '二つめ')).toMatchObject({ error: 'conflict' })
    expect(await edit('approved', '二つめ', own)).toMatchObject({ error: 'conflict' })
    own.push(saveOf(await edit('administrator', '二つめ', own)))
    expect(own).not.toContain('')
  })
})
