import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { noHourFields } from '../hours/hour-fields.ts'

const id = '00000000-0000-4000-8000-000000000001'
const tasting = { id, day: '2026-11-26', title: '利き酒の会', content: '三種を少しずつ。' }
const MINUTE_MS = 60_000

onEachEngine((fresh) => {
  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    const visitors = await sample.people()
    const idOf = (person: Person) => visitors[person]?.member?.id ?? ''
    await sample.db.updateTable('members').set({ birthday: '誕生日の秘密', realname: '本名の秘密' }).execute()
    /** Sends a form one minute after the last form. Returns the status, the redirect target and the HTML. */
    const send = async (person: Person, path: string, fields: Record<string, string>) => {
      sample.clock.now += MINUTE_MS
      const response = await sample.post(person, path, fields)
      return { status: response.status, to: response.headers.get('location') ?? '', html: await response.text() }
    }
    const readHtml = async (person: Person, path: string) => (await sample.as(person, path)).text()
    const revisionsOf = async (subject: string, subjectId: string) => {
      const revisions = sample.db.selectFrom('revisions').selectAll().where('subject', '=', subject)
      return revisions.where('subjectId', '=', subjectId).orderBy('at').execute()
    }
    const row = {
      event: () => sample.db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      member: (person: Person) =>
        sample.db.selectFrom('members').selectAll().where('id', '=', idOf(person)).executeTakeFirstOrThrow(),
      special: (day: string) =>
        sample.db.selectFrom('specialDays').selectAll().where('day', '=', day).executeTakeFirst(),
      week: () => sample.db.selectFrom('businessWeek').selectAll().executeTakeFirst(),
    }
    return { ...sample, idOf, send, readHtml, revisionsOf, row }
  }
  const revertFields = (revision: string | undefined) => ({ revision: revision ?? '' })

  test('offers a revert to every state except the current state on each page of the history', async () => {
    const { send, as } = await createSite()
    await send('approved', '/calendar', { intent: 'add', ...tasting })
    const save = (version: number) =>
      send('approved', '/calendar', { intent: 'save', ...tasting, version: `${version}`, title: `${version}回目` })
    for (let version = 1; version < 20; version += 1) await save(version)
    const readPage = async (number: number) =>
      (await as('approved', `/history/event/${id}?changes=${number}`)).json() as Promise<{
        entries: { canReturn: boolean }[]
        older: boolean
      }>
    expect(await readPage(1)).toMatchObject({ entries: { length: 20 }, older: false })
    await save(20)
    const [first, second] = [await readPage(1), await readPage(2)]
    expect(first.entries.map(({ canReturn }) => canReturn)).toEqual([false, ...Array(19).fill(true)])
    expect([first.older, second.older]).toEqual([true, false])
    expect(second.entries.map(({ canReturn }) => canReturn)).toEqual([true])
  })

  test('shows and reverts earlier states of an event only when the visitor may edit the event', async () => {
    const { send, as, revisionsOf, row } = await createSite()
    await send('approved', '/calendar', { intent: 'add', ...tasting })
    await send('approved', '/calendar', {
      intent: 'save',
      version: '1',
      ...tasting,
      title: '新酒の会',
      startTime: '18:00',
    })
    await send('administrator', '/calendar', { intent: 'move', version: '2', id, day: '2026-12-05' })
    const path = `/history/event/${id}`
    for (const person of ['guest', 'signedIn', 'applicant'] as const)
      expect(await (await as(person, path)).json()).toEqual({ entries: [], page: 1, older: false })
    const history = await as('approved', path)
    expect(history.headers.get('cache-control')).toBe('private, no-store')
    const { entries } = await history.json()
    expect(entries).toMatchObject([
      {
        by: '暖簾 結 さん',
        kind: 'changed',
        canReturn: false,
        changes: [{ before: '2026年11月26日', after: '2026年12月5日' }],
      },
      {
        by: '桜井 花 さん',
        kind: 'changed',
        canReturn: true,
        changes: [
          { label: 'タイトル', before: '利き酒の会', after: '新酒の会' },
          { label: '時刻', before: '終日', after: '18:00から' },
        ],
      },
      { by: '桜井 花 さん', kind: 'added', canReturn: true },
    ])

    const [first] = await revisionsOf('event', id)
    expect((await send('guest', '/undo', revertFields(first?.id))).status).toBe(401)
    expect((await send('applicant', '/undo', revertFields(first?.id))).status).toBe(403)
    expect((await send('approved', '/undo', revertFields('none'))).status).toBe(404)
    const before = await row.event()
    expect(before.version).toBe(3)
    const done = await send('approved', '/undo', revertFields(first?.id))
    expect([done.status, done.to]).toEqual([200, ''])
    expect(await row.event()).toMatchObject({ ...tasting, startTime: null, version: 4, createdAt: before.createdAt })

    // A revert also restores an event from the bin. The revert can be undone like any save.
    await send('approved', '/calendar', { intent: 'delete', id, version: '4' })
    const deletion = (await revisionsOf('event', id)).at(-1)
    expect((await send('approved', '/undo', revertFields(deletion?.id))).status).toBe(404)
    await send('approved', '/undo', revertFields(entries[1].id))
    expect(await row.event()).toMatchObject({ title: '新酒の会', day: '2026-11-26', deletedAt: null, version: 6 })
    const all = await revisionsOf('event', id)
    await send('approved', '/undo', { save: all.at(-1)?.saveId ?? '' })
    expect((await row.event()).deletedAt).not.toBeNull()
    const actions = ['add', 'save', 'move', 'put back', 'delete', 'put back', 'take back']
    expect((await revisionsOf('event', id)).map(({ action }) => action)).toEqual(actions)
  })

  const readWeekForm = (html: string) =>
    Object.fromEntries(
      [...html.matchAll(/<select name="([^"]+\.[^"]+)".*?<option[^>]*selected=""[^>]*>([^<]*)</g)].map(
        ([, name = '', value = '']) => [name, { 営業: 'open', 定休日: 'close' }[value] ?? value],
      ),
    )

  test('reverts the weekly schedule and a special day from the histories below the forms', async () => {
    const { send, readHtml, revisionsOf, row } = await createSite()
    const form = readWeekForm(await readHtml('approved', '/bussinessdays?by=day'))
    expect(Object.keys(form)).toHaveLength(81)
    await send('approved', '/bussinessdays', {
      ...form,
      intent: 'week',
      version: '1',
      beside: 'stays',
      '土曜日.open_or_close': 'close',
    })
    const html = await readHtml('approved', '/bussinessdays')
    expect(html).toMatch(/<dt>土曜日<\/dt>.*?営業 7:30〜10:00、11:30〜14:00<\/del>.*?定休日<\/ins>/)
    expect(await readHtml('guest', '/bussinessdays')).not.toContain('変更履歴')
    const [first] = await revisionsOf('businessWeek', 'week')
    expect((await send('guest', '/undo', revertFields(first?.id))).status).toBe(401)
    expect((await send('approved', '/undo', revertFields('none'))).status).toBe(404)
    const done = await send('approved', '/undo', revertFields(first?.id))
    expect(done.status).toBe(200)
    expect(readWeekForm(await readHtml('approved', '/bussinessdays?by=day'))).toEqual(form)
    expect(done.html).toContain('選んだ時点の内容に戻しました')
    expect(await row.week()).toMatchObject({ version: 3, schedule: JSON.parse(first?.after ?? '').schedule })

    const day = '2026-12-31'
    const special = {
      intent: 'special',
      first: day,
      replacing: `${day}:1`,
      ...noHourFields,
      reason: '臨時営業',
      sure: 'yes',
    }
    await send('approved', '/bussinessdays', special)
    expect(await row.special(day)).toMatchObject({ reason: '臨時営業', version: 2 })
    expect(await readHtml('approved', `/bussinessdays?table=special&day=${day}`)).toMatch(
      /<dt>理由<\/dt>.*?年末年始休業<\/del>.*?臨時営業<\/ins>.*?<dt>時間<\/dt>.*?時間なし<\/ins>/,
    )
    await send('approved', '/bussinessdays', { intent: 'remove', first: day, version: '2' })
    const [added] = await revisionsOf('specialDay', day)
    expect((await send('approved', '/undo', revertFields(added?.id))).status).toBe(200)
    expect(await row.special(day)).toMatchObject({ reason: '年末年始休業', version: 4 })
    const actions = (await revisionsOf('specialDay', day)).map(({ action }) => action)
    expect(actions).toEqual(['sample', 'save', 'delete', 'put back'])
  })

  test('lets only administrators revert a member, and excludes the private fields from the revert', async () => {
    const { send, readHtml, idOf, revisionsOf, row, mails } = await createSite()
    const member = idOf('approved')
    const path = `/membercreate/${member}`
    const { profile } = await row.member('approved')
    await send('administrator', '/memberlist', { deed: 'withdraw', member })
    const html = await readHtml('administrator', path)
    expect(html).toMatch(/<dt>参加の承認<\/dt>.*?承認する<\/del>.*?承認しない<\/ins>/)
    const panel = html.slice(html.indexOf('変更履歴'), html.indexOf('</details>'))
    expect(panel).not.toContain('秘密')
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const)
      expect(await readHtml(person, path), person).not.toContain('変更履歴')

    const approval = (await revisionsOf('member', member)).find(({ action }) => action === 'approve')
    expect((await send('guest', '/undo', revertFields(approval?.id))).status).toBe(401)
    for (const person of ['signedIn', 'applicant', 'approved'] as const)
      expect((await send(person, '/undo', revertFields(approval?.id))).status, person).toBe(403)
    const before = await row.member('approved')
    expect(before.admin).toBe(false)
    const sentBefore = mails.length
    expect((await send('administrator', '/undo', revertFields(approval?.id))).status).toBe(200)
    expect(await row.member('approved')).toMatchObject({
      admin: true,
      profile,
      accountId: before.accountId,
      birthday: '誕生日の秘密',
      realname: '本名の秘密',
      version: before.version + 1,
    })
    // The member receives an e-mail, as after any approval.
    expect(mails.length).toBe(sentBefore + 1)

    // The revert is rejected if no administrator would remain.
    await send('administrator', '/memberlist', { deed: 'make administrator', member })
    await send('approved', '/memberlist', { deed: 'unmake administrator', member: idOf('administrator') })
    expect((await send('approved', '/undo', revertFields(approval?.id))).status).toBe(409)
    expect((await row.member('approved')).administrator).toBe(true)
  })

  test('hides the name of an author when the visitor may not see the name', async () => {
    const { send, as, idOf, readHtml } = await createSite()
    await send('approved', '/calendar', { intent: 'add', ...tasting })
    await send('administrator', '/memberlist', { deed: 'make administrator', member: idOf('applicant') })
    await send('applicant', '/calendar', { intent: 'save', version: '1', ...tasting, title: '新酒の会' })
    const readAuthors = async (person: Person) =>
      (await (await as(person, `/history/event/${id}`)).json()).entries.map(({ by }: { by: string }) => by)
    expect(await readAuthors('administrator')).toEqual(['若葉 翔 さん', '桜井 花 さん'])
    // Members see only the names of approved members. This administrator is not an approved member.
    expect(await readAuthors('approved')).toEqual(['ほかの方', '桜井 花 さん'])
    expect(await readHtml('guest', '/calendar')).not.toContain('若葉')
  })
})
