import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { addCard } from '../cards/cards.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { noHourFields } from '../hours/hour-fields.ts'
import { pageFormValues } from '../pages/page-form.ts'
import { pageSettingsOf } from '../pages/page-record.server.ts'
import { addPage } from '../pages/pages.server.ts'
import { endInvitationIntent, endStaffIntent, giveRoleIntent, removeAccountIntent } from '../staff/staff.ts'

const author = { accountId: null, at: new Date(noon).toISOString() }
const event = { day: '2040-05-05', title: '月見の会', content: '' }
const deletion = { intent: 'delete', version: '1' }
const card = { intent: 'save', version: '1', content: '内容' }

type Fields = Record<string, string>
/** A form, an earlier save of the same record by another administrator, and the response to the form. */
type Conflict = { path: string; earlier: Fields; form: Fields; status: 404 | 409; answer: object }

/** The response with an error sentence that begins with this text. */
const trouble = (start: string) => ({ trouble: expect.stringMatching(new RegExp(`^${start}`)) })
/** The status and the response when the record was deleted. */
const gone = (start: string) => ({ status: 404, answer: trouble(start) }) as const

onEachEngine((fresh) => {
  async function createSite() {
    const site = await sampleSite(await fresh())
    await site.people()
    await site.staff()
    const expectAnswer = async ({ path, form, status, answer }: Omit<Conflict, 'earlier'>) => {
      const response = await site.post('administrator', path.replace(/(?=\?|$)/, '.data'), form)
      const received = [response.status, await actionDataOf(response)]
      expect(received, `${path} ${JSON.stringify(form)}`).toEqual([status, expect.objectContaining(answer)])
    }
    const expectConflict = async ({ earlier, ...late }: Conflict) => {
      expect((await site.post('manager', late.path, earlier)).status, JSON.stringify(earlier)).toBeLessThan(400)
      await expectAnswer(late)
    }
    return { ...site, expectAnswer, expectConflict }
  }

  test.each([
    ['a card of the portfolio', 'vbacreate', '/firestoreservice'],
    ['a dish', 'dining', '/dining'],
  ] as const)('reports a concurrent change or deletion of %s', async (_, collection, folder) => {
    const { db, expectConflict } = await createSite()
    const save = { ...card, title: '自分の題' }
    const otherTitle = { ...card, title: 'ほかの方の題' }
    const missing = gone('この項目は見つかりません')
    for (const conflict of [
      {
        earlier: otherTitle,
        form: save,
        status: 409,
        answer: { conflict: expect.objectContaining({ fields: ['title'], version: 2 }) },
      },
      { earlier: otherTitle, form: deletion, status: 409, answer: { changed: { name: 'ほかの方の題', version: 2 } } },
      { earlier: deletion, form: save, ...missing },
      { earlier: deletion, form: deletion, ...missing },
    ] as const) {
      const id = await addCard(db, collection, { title: '題', content: '内容' }, author)
      await expectConflict({ path: `${folder}/${id}/edit`, ...conflict })
    }
  })

  test('reports a concurrent change or deletion of an event', async () => {
    const { post, expectConflict } = await createSite()
    const save = { ...event, intent: 'save', version: '1', title: 'ほかの方の催し' }
    const move = { intent: 'move', day: '2040-05-07', version: '1' }
    const newer = expect.objectContaining({ title: 'ほかの方の催し', version: 2 })
    const changed = { earlier: save, status: 409 } as const
    const deleted = { earlier: deletion, ...gone('この予定は、すでに削除されています。') } as const
    for (const conflict of [
      { ...changed, form: { ...save, title: '自分の催し' }, answer: { newer } },
      { ...changed, form: move, answer: trouble('.*ほかの方が先に変更しました。') },
      { ...changed, form: deletion, answer: trouble('イベントの削除に失敗しました。ほかの方が先に変更しました。') },
      { ...deleted, form: save },
      { ...deleted, form: move },
    ]) {
      const id = crypto.randomUUID()
      await post('administrator', '/calendar', { intent: 'add', id, ...event })
      const { earlier, form, ...others } = conflict
      await expectConflict({ path: '/calendar', earlier: { ...earlier, id }, form: { ...form, id }, ...others })
    }
  })

  test('reports a concurrent change of today or of a special day', async () => {
    const { post, expectConflict } = await createSite()
    const day = dayInJapan(noon)
    const hours = { ...noHourFields, starttime1_hour: '10', endtime1_hour: '12' }
    const today = {
      path: '/today',
      status: 409,
      answer: trouble('ほかの方が先に変更したか、日付が変わりました。'),
    } as const
    await expectConflict({
      ...today,
      earlier: { ...hours, intent: 'change', reason: '臨時営業', sure: 'yes', day, version: '0' },
      form: { intent: 'close', day, version: '0' },
    })
    expect((await post('administrator', '/today', { intent: 'close', day, version: '1' })).status).toBe(200)
    const notice = { intent: 'words', day, version: '2' }
    await expectConflict({
      ...today,
      earlier: { ...notice, cause: 'ほかの理由' },
      form: { ...notice, cause: '法事のため' },
    })

    const special = { ...noHourFields, intent: 'special', first: event.day }
    await post('administrator', '/bussinessdays', { ...special, reason: '臨時休業' })
    await expectConflict({
      path: '/bussinessdays?table=special',
      earlier: { ...special, reason: '営業時間変更', sure: 'yes', replacing: `${event.day}:1` },
      form: { intent: 'remove', first: event.day, version: '1' },
      status: 409,
      answer: { existing: [expect.objectContaining({ reason: '営業時間変更', version: 2 })] },
    })
  })

  test('reports a concurrent change or deletion of a page before its deletion', async () => {
    const { db, expectConflict } = await createSite()
    const settings = { ...pageSettingsOf('p-changed', null), title: '題' }
    const form = { ...pageFormValues(settings), title: 'ほかの方の題', version: '1' }
    for (const [id, conflict] of [
      ['p-changed', { earlier: form, status: 409, answer: trouble('ほかの方が先に変更しました。') }],
      ['p-deleted', { earlier: deletion, ...gone('このページは見つかりません。') }],
    ] as const) {
      await addPage(db, id, settings, author)
      await expectConflict({ path: `/pages/${id}/edit`, form: deletion, ...conflict })
    }
  })

  test('reports a concurrent deletion of a member', async () => {
    const { db, expectConflict } = await createSite()
    for (const [name, deed] of [
      ['approved', 'approve'],
      ['applicant', 'delete'],
    ] as const) {
      const { accountId } = demoAccounts[name]
      const { id } = await db
        .selectFrom('members')
        .select('id')
        .where('accountId', '=', accountId)
        .executeTakeFirstOrThrow()
      await expectConflict({
        path: '/memberlist',
        earlier: { deed: 'delete', member: id },
        form: { deed, member: id },
        ...gone('このメンバーは見つかりません。'),
      })
    }
  })

  test('reports a concurrent removal of a staff member, an account or an invitation', async () => {
    const { db, post, expectAnswer, expectConflict } = await createSite()
    const { accountId } = demoAccounts.editor
    const member = db.selectFrom('staff').select(['id', 'version']).where('accountId', '=', accountId)
    const { id: staffId, version } = await member.executeTakeFirstOrThrow()
    const end = { intent: endStaffIntent(staffId), id: staffId, version: String(version) }
    const give = { ...end, intent: giveRoleIntent(staffId), role: 'administration' }
    const missing = gone('この方は見つかりません。')
    await expectConflict({ path: '/staff', earlier: end, form: give, ...missing })
    await expectAnswer({ path: '/staff', form: end, ...missing })

    await openAccounts(db, 'toss-high-9', noon)
    const id = demoAccounts.signedIn.accountId
    const removal = { intent: removeAccountIntent(id), id, version: '1' }
    const changed = { status: 409, answer: trouble('ほかの管理者が先に変更しました。') } as const
    await expectConflict({ path: '/staff', earlier: removal, form: removal, ...changed })

    await post('administrator', '/staff', { intent: 'invite', name: '歩', role: 'editing' })
    const { key } = await db.selectFrom('invitations').select('key').executeTakeFirstOrThrow()
    const revocation = { intent: endInvitationIntent(key), key }
    const revoked = { status: 409, answer: trouble('この招待は、すでに使われたか、取り消されています。') } as const
    await expectConflict({ path: '/staff', earlier: revocation, form: revocation, ...revoked })
  })
})
