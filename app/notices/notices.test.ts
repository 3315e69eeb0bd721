import { describe, expect, test } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import type { SaveResult } from '../forms/save-result.ts'
import type { SettingsResult } from '../forms/settings-form.tsx'
import { noHourFields } from '../hours/hour-fields.ts'
import { readPageToEdit, savePage } from '../pages/pages.server.ts'
import type { NoticeForm } from './notice-form.ts'
import { listNotices, readNotice, saveNotice } from './notices.server.ts'

const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }
const at = (time: string) => Date.parse(`${time}+09:00`)
const notice = { text: '本日は貸切です', place: 'every', link: '', shownFrom: '', shownUntil: '' }

async function hidePage(db: Db, id: 'dining' | 'calendar') {
  const page = await readPageToEdit(db, id)
  if (page) await savePage(db, id, { version: page.version, facts: { ...page, shown: false } }, author)
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const site = async () => {
    const sample = await sampleSite(await fresh())
    const { db, as, post } = sample
    await sample.people()
    await sample.staff()
    const text = async (path: string, person: Parameters<typeof as>[0] = 'guest') => (await as(person, path)).text()
    const add = async (facts: Partial<NoticeForm>, createdAt = author.at) => {
      const id = crypto.randomUUID()
      await saveNotice(db, id, { version: 0, facts }, { ...author, at: createdAt })
      return id
    }
    const send = async (path: string, fields: Record<string, string>) =>
      actionDataOf<SettingsResult>(await post('administrator', `${path}.data`, fields))
    return { ...sample, text, add, send }
  }

  describe('the form of a notice', () => {
    test.each([
      ['guest', 401],
      ['signedIn', 403],
      ['applicant', 403],
      ['approved', 302],
      ['editor', 302],
      ['administrator', 302],
    ] as const)('responds to a save by visitor "%s" with %i', async (person, status) => {
      const { db, post, text } = await site()
      const fields = { ...notice, id: crypto.randomUUID(), version: '0' }
      expect((await post(person, '/notices/new/add', fields)).status).toBe(status)
      expect(await listNotices(db)).toMatchObject(status === 302 ? [{ text: notice.text, place: 'every' }] : [])
      expect((await text('/')).includes(notice.text)).toBe(status === 302)
    })

    test('adds a notice once when the form is sent twice', async () => {
      const { db, clock, post } = await site()
      const fields = { ...notice, id: crypto.randomUUID(), version: '0' }
      expect((await post('approved', '/notices/new/add', fields)).status).toBe(302)
      clock.now += 1000
      expect((await post('approved', '/notices/new/add', fields)).status).toBe(302)
      expect(await listNotices(db)).toMatchObject([{ version: 1 }])
    })

    onSqlite.each([
      ['お知らせの文を入力してください', 'text', { text: ' \n　' }],
      ['お知らせの文は500文字までです', 'text', { text: '長'.repeat(501) }],
      ['表示するページを選んでください', 'place', { place: 'none' }],
      ['日付と時刻を選び直してください', 'shownFrom', { shownFrom: '2026-02-30T10:00' }],
      [
        '終わりは、始まりより後にしてください',
        'shownUntil',
        { shownFrom: '2026-12-01T10:00', shownUntil: '2026-12-01T10:00' },
      ],
      [
        'リンクは https:// などで始まるアドレスか、このサイトのページを入力してください',
        'link',
        { link: 'javascript:alert(1)' },
      ],
    ])('reports "%s" beside the field', async (sentence, field, wrong) => {
      const { db, send } = await site()
      const { errors } = await send('/notices/new/add', { ...notice, id: crypto.randomUUID(), ...wrong })
      expect(errors).toEqual({ [field]: [sentence] })
      expect(await listNotices(db)).toEqual([])
    })

    test('merges the changes of two editors, but reports a conflict in the same field', async () => {
      const { db, add, send } = await site()
      const id = await add({ text: '一' })
      const path = `/notices/${id}/edit`
      expect(await send(path, { ...notice, version: '1', text: '二' })).toMatchObject({ done: '保存しました。' })
      expect(await send(path, { ...notice, version: '1', text: '一', important: 'on' })).toHaveProperty('undo')
      expect(await readNotice(db, id)).toMatchObject({ text: '二', important: true, version: 3 })
      expect(await send(path, { ...notice, version: '1', text: '三' })).toMatchObject({
        newer: { version: 3, clashes: ['text'], values: { text: '二' } },
      })
      expect(await readNotice(db, id)).toMatchObject({ text: '二', version: 3 })
    })

    test('reports a conflict if one editor changes the start and another the end of the display', async () => {
      const { db, add, send } = await site()
      const id = await add({ text: notice.text })
      const save = (fields: Partial<typeof notice> & { version: string }) =>
        send(`/notices/${id}/edit`, { ...notice, ...fields })
      const [start, end] = [{ shownFrom: '2026-12-10T00:00' }, { shownUntil: '2026-12-05T00:00' }]
      expect(await save({ version: '1', ...start })).toHaveProperty('undo')
      const conflict = await save({ version: '1', ...end })
      expect(conflict).toMatchObject({
        newer: { version: 2, clashes: ['shownFrom', 'shownUntil'], values: start },
        values: { shownFrom: '', ...end },
      })
      expect(conflict).not.toHaveProperty('done')
      expect(await readNotice(db, id)).toMatchObject({ ...start, shownUntil: '', version: 2 })
      const { errors } = await save({ version: '2', ...start, ...end })
      expect(errors).toEqual({ shownUntil: ['終わりは、始まりより後にしてください'] })
      expect(await save({ version: '2', ...end })).toHaveProperty('undo')
      expect(await readNotice(db, id)).toMatchObject({ shownFrom: '', ...end, version: 3 })
    })

    test('undoes an addition and a deletion, restores a notice from the bin, and lists its history', async () => {
      const { db, post, send, text } = await site()
      const id = crypto.randomUUID()
      const undo = async ({ undo }: SaveResult) => post('administrator', '/undo', undo?.fields ?? {})
      const added = await send('/notices/new/add', { ...notice, id, version: '0' })
      await undo(added)
      expect(await readNotice(db, id)).toBeNull()
      await send('/notices/new/add', { ...notice, id, version: '0' })
      const { version = 0, createdAt } = (await readNotice(db, id)) ?? {}
      const remove = () => send(`/notices/${id}/edit`, { intent: 'delete', version: String(version) })
      const deleted = await remove()
      expect(await text('/dining')).not.toContain(notice.text)
      await undo(deleted)
      expect(await text('/dining')).toContain(notice.text)
      const current = await readNotice(db, id)
      await send(`/notices/${id}/edit`, { intent: 'delete', version: String(current?.version) })
      expect(await text('/bin', 'approved')).toContain(notice.text)
      await post('approved', '/bin', { kind: 'notice', id })
      expect(await readNotice(db, id)).toMatchObject({ text: notice.text, createdAt })
      expect(await text(`/history/notice/${id}`, 'approved')).toContain('"kind":"deleted"')
      expect((await post('guest', '/bin', { kind: 'notice', id })).status).toBe(401)
    })

    onSqlite('responds with 404 to a save of a missing notice', async () => {
      const { db, post } = await site()
      const path = `/notices/${crypto.randomUUID()}/edit`
      expect((await post('administrator', path, { ...notice, version: '1' })).status).toBe(404)
      expect(await listNotices(db)).toEqual([])
    })

    onSqlite('is filled from the URL, unless a value is invalid', async () => {
      const { db, text } = await site()
      const query = new URLSearchParams({ text: '臨時休業いたします。', shownUntil: '2026-12-01T00:00' })
      const html = await text(`/notices/new/add?${query}`, 'approved')
      expect(html).toMatch(/<textarea[^>]*>臨時休業いたします。<\/textarea>/)
      expect(html).toContain('value="2026-12-01T00:00"')
      expect(await text('/notices/new/add?text=x&shownUntil=1', 'approved')).toMatch(/<textarea[^>]*><\/textarea>/)
      expect(await text(`/notices/new/add?${query}`)).not.toContain('臨時休業いたします。')
      expect(await listNotices(db)).toEqual([])
    })
  })

  const guestUrls = ['/dining', '/dining.data', '/_.data', '/']

  test('shows a notice to guests from its first minute until its last minute, across midnight', async () => {
    const { clock, add, text } = await site()
    await add({ text: '夜だけ', shownFrom: '2026-11-20T23:59', shownUntil: '2026-11-21T00:01' })
    for (const [time, isShown] of [
      ['2026-11-20T23:58:59.999', false],
      ['2026-11-20T23:59:00.000', true],
      ['2026-11-21T00:00:59.999', true],
      ['2026-11-21T00:01:00.000', false],
    ] as const) {
      clock.now = at(time)
      // The second request of a guest receives the cached page.
      for (const url of [...guestUrls, ...guestUrls])
        expect((await text(url)).includes('夜だけ'), `${time} ${url}`).toBe(isShown)
      expect(await text('/notices', 'approved')).toContain('夜だけ')
      expect((await text('/notices')).includes('夜だけ')).toBe(isShown)
    }
  })

  onSqlite('sends the time of the next display change with each page', async () => {
    const { clock, add, text } = await site()
    clock.now = at('2026-11-20T23:58:59.999')
    await add({ text: '夜だけ', shownFrom: '2026-11-20T23:59', shownUntil: '2026-11-21T00:01' })
    expect(await text('/dining.data')).toContain('2026-11-20T23:59')
    clock.now = at('2026-11-20T23:59')
    expect(await text('/dining.data')).toContain('2026-11-21T00:01')
  })

  onSqlite.each([
    ['every', ['/', '/dining', '/calendar', '/tennisrelated', '/memberlist', '/access', '/infomation', '/mail']],
    ['home', ['/']],
    ['dining', ['/dining']],
    ['calendar', ['/calendar']],
    ['circle', ['/tennisrelated', '/memberlist']],
  ] as const)('shows a notice for the place "%s" on its pages only', async (place, paths) => {
    const { add, text } = await site()
    await add({ text: '見本のお知らせ', place })
    const shown = /<span>見本のお知らせ<\/span>/
    for (const path of [
      '/',
      '/dining',
      '/calendar',
      '/tennisrelated',
      '/memberlist',
      '/access',
      '/infomation',
      '/mail',
    ])
      expect(shown.test(await text(path)), path).toBe((paths as readonly string[]).includes(path))
  })

  onSqlite('hides the notice of a hidden page and a link to a hidden page from guests', async () => {
    const { db, add, text } = await site()
    await add({ text: '品書きの秘密', place: 'dining' })
    await add({ text: '案内', link: '/dining' })
    await hidePage(db, 'dining')
    for (const url of ['/', '/_.data', '/calendar']) expect(await text(url), url).not.toContain('品書きの秘密')
    const html = await text('/calendar')
    expect(html).toContain('案内')
    expect(html).not.toContain('くわしくはこちら')
    expect(await text('/calendar', 'administrator')).toContain('くわしくはこちら')
  })

  test('sorts important notices first, then the newest, and folds all but three', async () => {
    const { add, text } = await site()
    await add({ text: '古い' }, '2026-11-01T00:00:00.000Z')
    await add({ text: '重い', important: true }, '2026-11-02T00:00:00.000Z')
    await add({ text: '中ほど' }, '2026-11-03T00:00:00.000Z')
    await add({ text: '新しい' }, '2026-11-04T00:00:00.000Z')
    for (const [path, beginning] of [
      ['/', 'id="notice"'],
      ['/dining', 'お店からのお知らせ'],
    ] as const) {
      const html = (await text(path)).replaceAll('<!-- -->', '')
      const stack = html.slice(html.indexOf(beginning))
      expect([...stack.matchAll(/>(古い|重い|中ほど|新しい)</g)].map(([, found]) => found)).toEqual([
        '重い',
        '新しい',
        '中ほど',
        '古い',
      ])
      expect(stack).toMatch(/<b>重要なお知らせ<\/b> <span>重い/)
      expect(stack).toMatch(/<span>中ほど.*<summary>ほかのお知らせ（1件）<\/summary>.*<li[^>]*>.*<span>古い/s)
    }
  })

  describe('the save of a special day', () => {
    const day = { intent: 'special', first: '2026-11-30', reason: '臨時休業', ...noHourFields }

    const offeredText = (result: SaveResult) =>
      Object.fromEntries(new URL(result.next?.to ?? '', 'http://localhost').searchParams)

    onSqlite('offers a notice with a prepared text, and stores none', async () => {
      const { db, send } = await site()
      const result = await send('/bussinessdays', { ...day, cause: '法事のため', note: '1日から営業します。' })
      expect(result.next?.label).toBe('お知らせを書く')
      expect(offeredText(result)).toEqual({
        text: '11月30日（月）は臨時休業いたします（法事のため）。\n1日から営業します。',
        shownFrom: '2026-11-23T00:00',
        shownUntil: '2026-12-01T00:00',
      })
      expect(await listNotices(db)).toEqual([])
    })

    onSqlite('offers a notice about today that is shown at once', async () => {
      const { send } = await site()
      const result = await send('/today', { intent: 'close', day: '2026-11-20', version: '0' })
      expect(offeredText(result)).toEqual({
        text: '11月20日（金）は臨時休業いたします。',
        shownFrom: '',
        shownUntil: '2026-11-21T00:00',
      })
    })

    onSqlite.each([
      [
        '12月28日（月）〜12月30日（水）は年末年始休業いたします。',
        { reason: '年末年始休業', bulk: 'yes', rhythm: '毎日', weekday: '0', first: '2026-12-28' },
        ['2026', '12', '30'],
      ],
      [
        '11月24日（火）、12月1日（火）は営業時間を変更いたします（17:00〜21:00）。',
        {
          ...{ reason: '営業時間変更', bulk: 'yes', rhythm: '毎週', weekday: '2', first: '2026-11-23', sure: 'yes' },
          ...{ starttime1_hour: '17', starttime1_minute: '00', endtime1_hour: '21', endtime1_minute: '00' },
        },
        ['2026', '12', '2'],
      ],
    ] as const)('names the days: %s', async (text, fields, [lastYear, lastMonth, lastDay]) => {
      const { send } = await site()
      const result = await send('/bussinessdays', { ...day, ...fields, lastYear, lastMonth, lastDay })
      expect(offeredText(result)).toMatchObject({ text })
    })

    onSqlite('offers no notice about more days than a text can list', async () => {
      const { send } = await site()
      const weekly = { bulk: 'yes', rhythm: '毎週', weekday: '1', lastYear: '2027', lastMonth: '3', lastDay: '1' }
      const result = await send('/bussinessdays', { ...day, ...weekly })
      expect(result).toHaveProperty('undo')
      expect(result).not.toHaveProperty('next')
    })
  })
})
