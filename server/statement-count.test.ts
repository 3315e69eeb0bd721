import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { addAccount } from '../app/accounts/accounts.server.ts'
import { Event } from '../app/calendar/event.ts'
import { addEvent, deleteEvent } from '../app/calendar/events.server.ts'
import { saveRsvp } from '../app/calendar/rsvps.server.ts'
import { type CollectionName, collectionNames } from '../app/cards/card.ts'
import { addCard, deleteCard } from '../app/cards/cards.server.ts'
import { receiveMessage } from '../app/contact/messages.server.ts'
import { addDays } from '../app/dates/month.ts'
import { noSlots } from '../app/hours/business-day.ts'
import { removeSpecialDay, saveSpecialDays } from '../app/hours/business-days.server.ts'
import { manageMember } from '../app/members/administration.server.ts'
import { type MemberFields, memberFieldNames } from '../app/members/member.ts'
import { registerNonMember } from '../app/members/registration.server.ts'
import { pageSettingsOf } from '../app/pages/page-record.server.ts'
import { addPage, deletePage } from '../app/pages/pages.server.ts'
import { newSave } from '../app/records/record.ts'
import routes from '../app/routes.ts'
import { deleteSection, saveSection } from '../app/sections/sections.server.ts'
import { invite } from '../app/staff/invitations.server.ts'
import { addStaff, manageStaff } from '../app/staff/staff.server.ts'
import { onEachEngine } from '../db/testing.ts'
import { inTransaction } from '../db/transaction.ts'
import { dataPathOf, noon, sampleSite } from './testing.ts'
import { demoAccounts } from './tools/demo.ts'

const people = ['administrator', 'approved'] as const
const at = new Date(noon).toISOString()
const author = { accountId: demoAccounts.administrator.accountId, at }
const noNotices = { notify: async () => {}, readVerifiedEmails: async () => new Map(), origin: '' }
const managementOptions = { at, around: noNotices }

onEachEngine((fresh, engine) => {
  /** Creates a site that counts its SQL statements. `grow` adds records of every type. */
  async function countedSite() {
    let count = 0
    const countingPlugin: KyselyPlugin = {
      transformQuery: ({ node }) => {
        count += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const site = await sampleSite((await fresh()).withPlugin(countingPlugin))
    const { administrator } = await site.people()
    const { manager } = await site.staff()
    const { db } = site
    await addAccount(db, { ...demoAccounts.approved, id: demoAccounts.approved.accountId, hash: '' }, at)

    async function addRecords(number: number) {
      const text = `番号${number}`
      const card = { title: text, content: text }
      for (const name of [...collectionNames, 'p-story' as CollectionName]) {
        await addCard(db, name, card, author)
        await deleteCard(db, { id: await addCard(db, name, card, author), version: 1 }, author)
      }
      const day = addDays('2026-12-01', number)
      const event = Event.parse({ day, title: text, attendance: true })
      const [eventId, deletedEventId] = [`event-${number}`, `deleted-event-${number}`]
      for (const id of [eventId, deletedEventId]) await addEvent(db, id, event, author)
      await deleteEvent(db, { id: deletedEventId, version: 1 }, author)
      const special = { reason: '臨時休業', slots: noSlots }
      const removed = addDays('2028-01-01', number)
      await saveSpecialDays(db, { days: [day, removed], ...special }, new Map(), author)
      await removeSpecialDay(db, { day: removed, version: 1 }, author)
      const textFields = Object.fromEntries(memberFieldNames.map((name) => [name, text])) as MemberFields
      for (const name of [`m${number}`, `deleted${number}`]) {
        const fields = { ...textFields, accountname: name }
        const form = { owner: author.accountId, form: 'member', key: '', at }
        const member = await registerNonMember(db, administrator, fields, { form, approved: true })
        if (name.startsWith('deleted')) {
          await manageMember(db, administrator, member.id, 'delete', managementOptions)
        }
        const rsvp = { answer: 'yes', note: text } as const
        await saveRsvp(db, { eventId, memberId: member.id, version: 0, said: rsvp }, author, '2026-11-20')
      }
      for (const id of [`section-${number}`, `deleted-section-${number}`]) {
        await saveSection(db, id, { version: 0, facts: { name: text } }, author)
        if (id.startsWith('deleted')) await deleteSection(db, { id, version: 1 }, author)
      }
      for (const name of [`p-page-${number}`, `p-deleted-${number}`] as const) {
        await addPage(db, name, { ...pageSettingsOf(name, null), title: text, shown: true }, author)
        if (name.startsWith('p-deleted')) await deletePage(db, { id: name, version: 1 }, author)
      }
      for (const name of [`hired${number}`, `ended${number}`]) {
        await addAccount(db, { id: name, name, email: `${name}@example.jp`, hash: '' }, at)
        const person = { accountId: name, name, role: 'editing' as const }
        const { id } = await inTransaction(db, (trx) => addStaff(trx, person, newSave(author, 'add')))
        const ending = { id, version: 1, deed: 'end' as const }
        if (name.startsWith('ended')) await manageStaff(db, ending, author)
      }
      await invite(
        db,
        { name: text, role: 'editing' },
        { owner: manager?.accountId ?? '', form: '', key: '', at },
        'secret',
      )
      const message = { to: 'shop' as const, subject: text, text, from: 'guest@example.jp' }
      await receiveMessage(db, message, { address: `10.0.0.${number}`, spam: false, origin: '', now: noon })
    }
    return {
      ...site,
      async grow(from: number, to: number) {
        for (let number = from; number <= to; number += 1) await addRecords(number)
      },
      async statementsOf(work: () => Promise<unknown>) {
        const before = count
        await work()
        return count - before
      },
    }
  }

  /** Creates a counted site with records of every type, and returns the paths of its pages. */
  async function grownSite() {
    const site = await countedSite()
    const { db, grow } = site
    await addPage(db, 'p-story', { ...pageSettingsOf('p-story', null), title: '物語', shown: true }, author)
    await grow(1, 2)
    const card = await db.selectFrom('cards').select('id').where('collection', '=', 'dining').executeTakeFirstOrThrow()
    const staff = await db.selectFrom('staff').select('id').where('name', '=', 'hired1').executeTakeFirstOrThrow()
    const member = await db.selectFrom('members').select('id').where('accountname', '=', 'm1').executeTakeFirstOrThrow()
    const paths = [
      ...routes.flatMap(({ path = '' }) => (/[:*]/.test(path) ? [] : [`/${path}`])),
      ...[
        `/dining/${card.id}/edit`,
        '/dining/sections/section-1/edit',
        `/firestoreservice/${card.id}/edit`,
        '/firestoreservice?databasename=p-story',
      ],
      ...[`/staff/${staff.id}`, `/membercreate/${member.id}`, `/history/card/${card.id}`, '/history/site/site'],
      ...['/p/story', '/pages/p-story/edit', '/pages/dining/edit', '/calendar?month=2026-12', '/inbox?show=all'],
      ...['/sitemap.xml', '/api/health', '/calendar/event-1.ics'],
      ...['dining', 'sections', 'events', 'bussinessDaysSpecial', 'members', 'pages'].map(
        (name) => `/api/collections/${name}`,
      ),
    ]
    return { ...site, paths }
  }

  test.runIf(engine === 'SQLite')(
    'renders every page with the same number of statements when there are more records',
    async () => {
      const { as, grow, statementsOf, paths } = await grownSite()
      const counts = async (expected: Record<string, number> = {}) => {
        const all: Record<string, number> = {}
        for (const person of people)
          for (const path of paths) {
            const name = `${person} ${path}`
            // The data of a page needs the statements of its document, without the time for rendering.
            const isPage = person === 'approved' && !/^\/api\/|\.\w+$|^\/history\//.test(path)
            const visit = () => statementsOf(async () => as(person, isPage ? dataPathOf(path) : path))
            const first = await visit()
            // After a change, guest pages are rendered in the background, which may add statements to one of two
            // visits.
            all[name] = first === expected[name] ? first : Math.min(first, await visit())
          }
        return all
      }
      const few = await counts()
      await grow(3, 8)
      expect(await counts(few)).toEqual(few)
    },
  )

  test.runIf(engine === 'PostgreSQL')('renders every page without an internal error', async () => {
    const { as, paths } = await grownSite()
    for (const person of people)
      for (const path of paths) expect((await as(person, path)).status, `${person} ${path}`).toBeLessThan(500)
  })
})
