import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { readForms } from '../../server/testing-forms.ts'
import { noSlots, scheduleRows } from './business-day.ts'
import { saveSpecialDays } from './business-days.server.ts'
import { noHourFields } from './hour-fields.ts'

type Fields = Record<string, string>
const hourFields = (times: string) => {
  const numbers = times.match(/\d+/g) ?? []
  return Object.fromEntries(Object.keys(noHourFields).map((name, index) => [name, numbers[index] ?? '00']))
}
const weekFields = (overrides: Fields = {}): Fields => ({
  intent: 'week',
  version: '1',
  beside: 'stays',
  closedDays: 'open',
  ...Object.fromEntries(
    scheduleRows.flatMap((row) => [
      [`${row}.open_or_close`, 'open'],
      ...Object.entries(hourFields('07:30 10:00 11:30 14:00')).map(([field, value]) => [`${row}.${field}`, value]),
    ]),
  ),
  ...overrides,
})
const dateFields = (name: string, text: string) => {
  const [year = '', month = '', date = ''] = text.split('-')
  return { [`${name}Year`]: year, [`${name}Month`]: month, [`${name}Day`]: date }
}
const specialFields = (overrides: Fields = {}): Fields => ({
  intent: 'special',
  ...dateFields('first', '2026-12-10'),
  reason: '臨時休業',
  ...hourFields(''),
  ...overrides,
})

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const site = await sampleSite(await createDatabase())
    await site.people()
    const readHtml = async (path: string, person: 'guest' | 'approved' = 'guest') =>
      (await site.as(person, path)).text()
    const readSpecialDays = () => site.db.selectFrom('specialDays').selectAll().orderBy('day').execute()
    const readStored = () => site.db.selectFrom('businessWeek').selectAll().executeTakeFirst()
    const saveIdOf = (response: Response) =>
      new URL(response.headers.get('location') ?? '', 'http://localhost').searchParams.get('undo') ?? ''
    const undo = (save: string) => site.post('approved', '/undo', { save })
    return { ...site, readHtml, readSpecialDays, readStored, saveIdOf, undo }
  }

  onSqlite('renders a caption and a matching page title for each table of opening hours', async () => {
    const { readHtml } = await createSite()
    for (const [path, title, caption] of [
      ['/bussinessdays?by=day', '毎週の営業時間', '毎週の営業時間'],
      ['/bussinessdays?table=special', '特別営業日', 'これからの特別営業日'],
    ] as const) {
      for (const page of [await readHtml(path), await readHtml(path, 'approved')]) {
        expect(page).toContain(`<title>${title} |`)
        expect(page.match(/<table/g)).toHaveLength(1)
        expect(page).toMatch(new RegExp(`<table[^>]*><caption[^>]*>${caption}</caption>`))
      }
    }
  })

  onSqlite(
    'shows the pages of opening hours to everyone but rejects saves by visitors without permission',
    async () => {
      const { readHtml, post, readStored, readSpecialDays } = await createSite()
      for (const path of ['/bussinessdays', '/bussinessdays?table=special', '/today'])
        expect(await readHtml(path)).toContain(
          'この操作はスタッフと承認されたメンバーだけが行えます。ログインしてください',
        )
      const [before, days] = [await readStored(), await readSpecialDays()]
      for (const [person, status] of [
        ['guest', 401],
        ['signedIn', 403],
        ['applicant', 403],
      ] as const) {
        expect((await post(person, '/bussinessdays?by=day', weekFields())).status).toBe(status)
        expect((await post(person, '/bussinessdays', specialFields())).status).toBe(status)
        expect((await post(person, '/today', { intent: 'close', day: '2026-11-20', version: '0' })).status).toBe(status)
      }
      expect([await readStored(), await readSpecialDays()]).toEqual([before, days])
    },
  )

  onSqlite(
    'shows the hours without controls to visitors without permission unless the site shows disabled forms',
    async () => {
      const { as, showEditButtons, post } = await createSite()
      expect((await post('approved', '/bussinessdays', specialFields())).status).toBe(302)
      const paths = ['/bussinessdays', '/bussinessdays?by=day', '/bussinessdays?table=special&day=2026-12-10', '/today']
      const read = (person: 'guest' | 'signedIn' | 'applicant') =>
        Promise.all(paths.map(async (path) => (await as(person, path)).text()))
      const controls = /<fieldset|<select|<input|type="submit"|ほかの日を設定する|編集する|保存する/
      for (const person of ['guest', 'signedIn', 'applicant'] as const) {
        const [week, byDay, specialDays, today] = await read(person)
        for (const page of [week, byDay, specialDays, today]) expect(extractMain(page), person).not.toMatch(controls)
        expect(week).toMatch(/火曜日<\/th><td>定休日</)
        expect(byDay).toMatch(/火曜日<\/th><td>定休日</)
        expect(specialDays).toMatch(/12月10日.*臨時休業/)
        expect(today).toContain('営業 7:30〜10:00')
      }
      await showEditButtons()
      for (const page of await read('guest')) expect(page).toMatch(/<fieldset[^>]* disabled=""/)
    },
  )

  test('saves the week, updates every page and offers an undo', async () => {
    const { post, readHtml, saveIdOf, undo, clock, readStored } = await createSite()
    clock.now += 1000
    const saved = await post('approved', '/bussinessdays?by=day', weekFields({ '金曜日.open_or_close': 'close' }))
    expect([saved.status, saved.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^\/calendar\?done=hours&undo=/),
    ])
    expect(await readHtml('/calendar')).toContain('11月20日（金） 今日 定休日')
    expect(await readHtml('/')).toContain('本日は定休日です')
    expect(await readHtml('/infomation')).toContain('"dayOfWeek":"Friday","opens":"00:00","closes":"00:00"')
    clock.now += 1000
    const undone = await undo(saveIdOf(saved))
    expect(undone.status).toBe(200)
    expect(await readHtml('/calendar')).toContain('今日 営業 7:30〜10:00')
    expect(await readHtml('/infomation')).toContain('"dayOfWeek":"Friday","opens":"07:30","closes":"10:00"')
    expect((await readStored())?.version).toBe(3)
    expect((await undo(saveIdOf(saved))).status).toBe(409)
  })

  onSqlite('asks about the text beside the hours before a changed week is saved', async () => {
    const { post, readStored, db, readHtml } = await createSite()
    const before = await readStored()
    const changed = weekFields({ '金曜日.open_or_close': 'close', beside: '' })
    const asked = await post('approved', '/bussinessdays?by=day', changed)
    expect([asked.status, await readStored()]).toEqual([409, before])
    const question = await asked.text()
    expect(question).toContain('新しい営業時間に合っていますか？')
    expect(question).toContain('木曜日から月曜日まで、朝の部と昼の部に分けて営業しております。')
    expect(question).not.toContain('文章を編集する')
    expect(await (await post('administrator', '/bussinessdays?by=day', changed)).text()).toContain('文章を編集する')

    const mending = await post('administrator', '/bussinessdays?by=day', { ...changed, beside: 'mend' })
    expect(mending.headers.get('location')).toMatch(/^\/site\?done=hours&undo=[^#]+#guide$/)
    expect(await readHtml('/infomation')).toContain(
      '土曜日から木曜日までの7:30〜10:00と11:30〜14:00に営業しております。金曜日は定休日です。',
    )
    // The server reports a version conflict first. The question follows when the editor saves over the newer week.
    const open = weekFields({ beside: '' })
    const late = await (await post('administrator', '/bussinessdays?by=day', open)).text()
    expect(late).toContain('ほかの方が先に保存しました。')
    expect(late).not.toContain('新しい営業時間に合っていますか？')
    // The page requests no confirmation if visitors see no difference between the weeks, or if there is no text beside
    // the hours.
    const same = weekFields({ version: '2', '金曜日.open_or_close': 'close', '金曜日.endtime2_hour': '15', beside: '' })
    expect((await post('approved', '/bussinessdays?by=day', same)).status).toBe(302)
    const facts = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
    const without = JSON.stringify({ ...JSON.parse(facts.facts), hoursInWords: '' })
    await db.updateTable('site').set({ facts: without }).execute()
    expect((await post('approved', '/bussinessdays?by=day', weekFields({ version: '3', beside: '' }))).status).toBe(302)
  })

  onSqlite('requires confirmation before a save of hours that are empty or omit a usual slot', async () => {
    const { post, readSpecialDays, readHtml } = await createSite()
    const before = await readSpecialDays()
    const changeFields = (overrides: Fields) =>
      specialFields({ ...dateFields('first', '2026-12-10'), reason: '営業時間変更', ...overrides })
    const none = await post('approved', '/bussinessdays?table=special', changeFields(hourFields('')))
    expect([none.status, await readSpecialDays()]).toEqual([409, before])
    expect(await none.text()).toContain('時間が入力されていません。')
    const shorter = await post('approved', '/bussinessdays?table=special', changeFields(hourFields('08:00 10:00')))
    expect([shorter.status, await readSpecialDays()]).toEqual([409, before])
    const question = await shorter.text()
    expect(question).toContain('通常の第2部（11:30〜14:00）がなくなります。')
    expect(question).not.toContain('第1部（7:30')
    expect(
      (await post('approved', '/bussinessdays', changeFields({ ...hourFields('08:00 10:00'), sure: 'yes' }))).status,
    ).toBe(302)
    expect(await readHtml('/calendar?month=2026-12')).toContain('12月10日（木） 営業時間変更 8:00〜10:00')
    // The long slot covers both usual slots, so the page asks nothing.
    expect(
      (
        await post(
          'approved',
          '/bussinessdays',
          changeFields({ ...hourFields('07:30 14:00'), ...dateFields('first', '2026-12-11') }),
        )
      ).status,
    ).toBe(302)
    // The page of today asks the same questions.
    const today = { intent: 'change', day: '2026-11-20', version: '0', reason: '営業時間変更' }
    const asked = await post('approved', '/today', { ...today, ...hourFields('') })
    expect([asked.status, await readHtml('/')]).toEqual([409, expect.stringContaining('ただいま営業しております')])
    expect(await asked.text()).toContain('時間が入力されていません。')
    expect((await post('approved', '/today', { ...today, ...hourFields(''), sure: 'yes' })).status).toBe(200)
    expect(await readHtml('/')).toContain('本日は営業日です')
  })

  onSqlite('preselects the usual opening hours of the day in the form for changed hours', async () => {
    const { readHtml, post, clock } = await createSite()
    const readChosen = (page: string) =>
      [...page.matchAll(/<select name="(?:start|end)time.*?<option[^>]*selected=""[^>]*>([^<]*)</g)]
        .map(([, at]) => at)
        .join(' ')
    const usual = '07 30 10 00 11 30 14 00'
    expect(readChosen(await readHtml('/today', 'approved'))).toBe(usual)
    expect(readChosen(await readHtml('/bussinessdays?table=special&day=2026-11-26', 'approved'))).toBe(usual)
    // The shop is usually closed on this Tuesday, so the form contains the hours of a weekday on which the shop is
    // open.
    expect(readChosen(await readHtml('/bussinessdays?table=special&day=2026-11-24', 'approved'))).toBe(usual)
    const page = await readHtml('/today', 'approved')
    expect(page).toMatch(/href="\/bussinessdays\?table=special"[^>]*>ほかの日を設定する/)
    expect(await readHtml('/bussinessdays?table=special', 'approved')).toContain('name="firstYear"')
    // The hours of a day that is open around the clock begin at midnight. A closed day has no hours, so the form
    // contains the usual hours.
    const allDay = { '金曜日.starttime1_hour': '00', '金曜日.starttime1_minute': '00', '金曜日.endtime1_hour': '12' }
    const rest = { '金曜日.starttime2_hour': '12', '金曜日.starttime2_minute': '00', '金曜日.endtime2_hour': '00' }
    await post('approved', '/bussinessdays?by=day', weekFields({ ...allDay, ...rest }))
    clock.now += 60_000
    expect(readChosen(await readHtml('/today', 'approved'))).toBe('00 00 12 00 12 00 00 00')
    expect(await readHtml('/')).toContain('"dayOfWeek":"Friday","opens":"00:00","closes":"23:59"')
    await post('approved', '/today', { intent: 'close', day: '2026-11-20', version: '0' })
    expect(readChosen(await readHtml('/today', 'approved'))).toBe('00 00 12 00 12 00 00 00')
  })

  onSqlite('lists all future special days in the structured data of every public page', async () => {
    const { readHtml, post } = await createSite()
    await post('approved', '/bussinessdays', specialFields({ ...dateFields('first', '2027-11-09') }))
    for (const path of ['/', '/infomation', '/access', '/dining', '/calendar', '/tennisrelated']) {
      expect(await readHtml(path), path).toContain(
        '"validFrom":"2026-12-31","validThrough":"2027-01-03","opens":"00:00","closes":"00:00"',
      )
      expect(await readHtml(path), path).toContain(
        '"validFrom":"2027-11-09","validThrough":"2027-11-09","opens":"00:00"',
      )
    }
  })

  test('stores the first week and returns a conflict to a concurrent first save', async () => {
    const { post, readHtml, db, readStored } = await createSite()
    await db.deleteFrom('businessWeek').execute()
    await db.deleteFrom('revisions').where('subject', '=', 'businessWeek').execute()
    expect(await readHtml('/bussinessdays?by=day', 'approved')).toContain('スケジュールを登録する')
    expect(await readHtml('/calendar')).not.toContain('営業 7:30')
    const responses = await Promise.all(
      [1, 2].map(() => post('approved', '/bussinessdays?by=day', weekFields({ version: '0' }))),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([302, 409])
    expect((await readStored())?.version).toBe(1)
    expect(await readHtml('/bussinessdays?by=day', 'approved')).toContain('編集する')
  })

  onSqlite('merges consecutive special days into one closure for guests', async () => {
    const { db, as } = await createSite()
    const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
    const days = ['2026-11-26', '2026-12-03', '2026-12-04', '2026-12-05']
    await saveSpecialDays(db, { days, reason: '臨時休業', slots: noSlots }, new Map(), author)
    const html = (await (await as('guest', '/infomation')).text()).replace(/<\/?span[^>]*>/g, '')
    expect(html).toMatch(/11月26日（木）\s*臨時休業/)
    expect(html).toMatch(/12月3日（木）\s*から12月5日（土）まで\s*臨時休業/)
  })

  test('shows the newer week beside the unsaved input after a conflict', async () => {
    const { post, readStored } = await createSite()
    await post('approved', '/bussinessdays?by=day', weekFields({ '木曜日.open_or_close': 'close' }))
    const ownFields = weekFields({ '金曜日.endtime2_hour': '16' })
    const late = await post('administrator', '/bussinessdays?by=day', ownFields)
    expect(late.status).toBe(409)
    const html = await late.text()
    expect(html).toContain('ほかの方が先に保存しました')
    expect(html).toMatch(/新しい内容：(?:<!-- -->)?定休日/)
    expect(html).toMatch(/name="金曜日.endtime2_hour"[\s\S]*?<option selected="">16/)
    expect(html).toContain('name="version" value="2"')
    expect(JSON.parse((await readStored())?.schedule ?? '').金曜日.endtime2_hour).toBe('14')
    expect((await post('administrator', '/bussinessdays?by=day', { ...ownFields, version: '2' })).status).toBe(302)
  })

  onSqlite('rejects impossible hours with a field error and stores nothing', async () => {
    const { post, readStored } = await createSite()
    const before = await readStored()
    for (const invalid of [
      { '金曜日.starttime1_hour': '24' },
      { '金曜日.starttime1_minute': '60' },
      { '金曜日.endtime1_hour': '-1' },
      { '金曜日.endtime1_hour': '七' },
      { '金曜日.starttime1_hour': '10', '金曜日.starttime1_minute': '00' },
      { '金曜日.open_or_close': 'perhaps' },
    ] as Fields[]) {
      const response = await post('approved', '/bussinessdays?by=day', weekFields(invalid))
      expect(response.status, JSON.stringify(invalid)).toBe(400)
      expect(await response.text()).toContain('入力内容をご確認ください')
    }
    const incomplete = weekFields()
    delete incomplete['日曜日.starttime1_hour']
    expect((await post('approved', '/bussinessdays?by=day', incomplete)).status).toBe(400)
    expect(await readStored()).toEqual(before)
  })

  onSqlite('stores minutes between the five-minute steps and retains the times of a closed day', async () => {
    const { post, readHtml, readStored } = await createSite()
    await post(
      'approved',
      '/bussinessdays?by=day',
      weekFields({ '金曜日.endtime1_minute': '07', '月曜日.open_or_close': 'close' }),
    )
    expect(await readHtml('/bussinessdays?by=day', 'approved')).toContain('<option selected="">07</option>')
    const schedule = JSON.parse((await readStored())?.schedule ?? '')
    expect([schedule.金曜日.endtime1_minute, schedule.月曜日.starttime1_hour]).toEqual(['07', '07'])
  })

  onSqlite('rejects impossible special days with a field error and stores nothing', async () => {
    const { post, readSpecialDays } = await createSite()
    const before = await readSpecialDays()
    for (const [invalid, sentence] of [
      [dateFields('first', '2026-02-30'), 'この日付はありません'],
      [dateFields('first', '2027-02-29'), 'この日付はありません'],
      [dateFields('first', '2026-13-01'), 'この日付はありません'],
      [dateFields('first', '2024-12-31'), '2025年から2100年まで'],
      [dateFields('first', '2101-01-01'), '2025年から2100年まで'],
      [{ reason: ' ' }, '理由を選んでください'],
      [{ reason: '営業時間変更', ...hourFields('10:00 10:00') }, '開始と終了が同じ時刻です'],
      [{ bulk: 'yes', rhythm: '毎日', weekday: '0', ...dateFields('last', '2026-12-09') }, '終了日は開始日より後に'],
      [{ bulk: 'yes', rhythm: '毎日', weekday: '0', ...dateFields('last', '2027-12-11') }, '366日まで'],
      [{ bulk: 'yes', rhythm: '第5', weekday: '2', ...dateFields('last', '2026-12-20') }, '該当する日がありません'],
      [
        { bulk: 'yes', rhythm: 'ときどき', weekday: '2', ...dateFields('last', '2026-12-20') },
        '繰り返しを選んでください',
      ],
    ] as const) {
      const response = await post('approved', '/bussinessdays?table=special', specialFields(invalid as Fields))
      expect(response.status, sentence).toBe(400)
      expect(await response.text()).toContain(sentence)
    }
    expect(await readSpecialDays()).toEqual(before)
  })

  onSqlite('saves every day of a leap year in one save', async () => {
    const { post, readSpecialDays } = await createSite()
    const year = {
      bulk: 'yes',
      rhythm: '毎日',
      weekday: '0',
      ...dateFields('first', '2028-01-01'),
      ...dateFields('last', '2028-12-31'),
    }
    expect((await post('approved', '/bussinessdays', specialFields(year))).status).toBe(302)
    expect((await readSpecialDays()).filter((row) => row.day.startsWith('2028-'))).toHaveLength(366)
  })

  onSqlite('retains the opening hours of a closed day without displaying them', async () => {
    const { post, readSpecialDays, readHtml } = await createSite()
    await post('approved', '/bussinessdays', specialFields(hourFields('10:00 12:00')))
    const [saved] = await readSpecialDays()
    expect([saved?.day, JSON.parse(saved?.hours ?? '').starttime1_hour]).toEqual(['2026-12-10', '10'])
    expect(await readHtml('/calendar?month=2026-12')).toContain('>12月10日（木） 臨時休業<')
  })

  test('shows the stored hours when another editor has changed a special day that is removed', async () => {
    const { post, readSpecialDays } = await createSite()
    const path = '/bussinessdays?table=special&day=2026-12-10'
    await post('administrator', path, specialFields())
    const changed = { ...specialFields(), ...hourFields('10:00 12:00'), first: '2026-12-10', reason: '営業時間変更' }
    const replacing = '2026-12-10:1'
    expect((await post('administrator', path, { ...changed, replacing, sure: 'yes' })).status).toBe(302)
    const removal = { ...specialFields(), first: '2026-12-10', replacing, intent: 'remove', version: '1' }
    const late = await post('approved', path, removal)
    expect(late.status).toBe(409)
    const html = (await late.text()).replaceAll('<!-- -->', '')
    expect(html).toContain('ほかの方が先に変更しました。現在の設定は次のとおりです。')
    expect(html).toContain('<li>2026年12月10日（木） 営業時間変更 10:00〜12:00</li>')
    const readDay = async () => (await readSpecialDays()).find(({ day }) => day === '2026-12-10')
    expect(await readDay()).toMatchObject({ reason: '営業時間変更', version: 2 })
    const form = readForms(html).find(({ buttons }) => buttons.some(({ label }) => label === '通常の営業に戻す'))
    const answer = form?.buttons.find(({ label }) => label === '通常の営業に戻す')
    expect([Object.fromEntries(form?.fields ?? []).intent, answer]).toEqual([
      'remove',
      { name: 'version', value: '2', label: '通常の営業に戻す' },
    ])
    expect((await post('approved', path, { ...removal, version: '2' })).status).toBe(302)
    expect(await readDay()).toBeUndefined()
  })

  test('lists the existing special days and requires confirmation before a recurrence replaces them', async () => {
    const { post, readSpecialDays, saveIdOf, undo, clock, readHtml } = await createSite()
    const before = await readSpecialDays()
    await post(
      'approved',
      '/bussinessdays',
      specialFields({ ...dateFields('first', '2027-01-12'), reason: '臨時休業' }),
    )
    clock.now += 1000
    const tuesdays = specialFields({
      ...dateFields('first', '2026-12-01'),
      ...dateFields('last', '2027-03-31'),
      bulk: 'yes',
      rhythm: '第2',
      weekday: '2',
      reason: '臨時営業',
      sure: 'yes',
    })
    const asked = await post('approved', '/bussinessdays?table=special', tuesdays)
    expect(asked.status).toBe(409)
    const question = await asked.text()
    expect(question).toMatch(/すでに設定のある日が(?:<!-- -->)?1(?:<!-- -->)?日あります/)
    expect(question).toContain('2027年1月12日')
    expect((await readSpecialDays()).filter(({ reason }) => reason === '臨時営業')).toEqual([])

    const replacing = /value="(\d{4}-\d\d-\d\d:\d+)"/.exec(question)?.[1] ?? ''
    const saved = await post('approved', '/bussinessdays', { ...tuesdays, replacing })
    expect(saved.status).toBe(302)
    const chosen = (await readSpecialDays()).filter(({ reason }) => reason === '臨時営業').map((row) => row.day)
    expect(chosen).toEqual(['2026-12-08', '2027-01-12', '2027-02-09', '2027-03-09'])
    expect(await readHtml('/calendar?month=2026-12')).toContain('12月8日（火） 臨時営業')

    // A confirmation is valid only for the versions of the special days that the page has listed.
    expect((await post('approved', '/bussinessdays', { ...tuesdays, replacing })).status).toBe(409)
    clock.now += 1000
    expect((await undo(saveIdOf(saved))).status).toBe(200)
    const days = (await readSpecialDays()).map((row) => [row.day, row.reason])
    expect(days).toEqual([...before.map((row) => [row.day, row.reason]), ['2027-01-12', '臨時休業']].sort())
  })

  onSqlite('reports unreadable hours only to editors and retains the stored text until confirmation', async () => {
    const { post, readHtml, db, readStored, readSpecialDays } = await createSite()
    await db.updateTable('businessWeek').set({ schedule: '{"日曜日":' }).execute()
    await db.updateTable('specialDays').set({ hours: 'nonsense' }).where('day', '=', '2026-12-31').execute()
    expect(await readHtml('/calendar?month=2026-12')).not.toContain('営業 7:30')
    // A closed day needs no hours, so unreadable hours do not hide the day.
    expect(await readHtml('/calendar?month=2026-12')).toContain('12月31日（木） 年末年始休業')
    expect(await readHtml('/infomation')).toContain('"validThrough":"2027-01-03","opens":"00:00","closes":"00:00"')
    expect(await readHtml('/bussinessdays')).not.toContain('読めないデータ')
    expect(await readHtml('/bussinessdays?table=special')).not.toContain('読めないデータ')
    expect(await readHtml('/bussinessdays', 'approved')).toContain('読めないデータが1件あります')
    expect(await readHtml('/bussinessdays?table=special', 'approved')).toMatch(
      /読めないデータが(?:<!-- -->)?1(?:<!-- -->)?件あります/,
    )

    expect((await post('approved', '/bussinessdays?by=day', weekFields())).status).toBe(409)
    expect((await readStored())?.schedule).toBe('{"日曜日":')
    expect((await post('approved', '/bussinessdays?by=day', weekFields({ overwriting: 'yes' }))).status).toBe(302)
    expect(await readHtml('/calendar')).toContain('営業 7:30')

    expect((await post('approved', '/bussinessdays', specialFields(dateFields('first', '2026-12-31')))).status).toBe(
      409,
    )
    expect((await readSpecialDays()).find((row) => row.day === '2026-12-31')?.hours).toBe('nonsense')
  })

  onSqlite('shows the specified error message when a save of the week fails', async () => {
    const { post, db, readStored } = await createSite()
    const before = await readStored()
    await db.schema.dropTable('revisions').execute()
    const response = await post('approved', '/bussinessdays?by=day', weekFields())
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('データの保存に失敗しました。もう一度お試しください')
    expect(await readStored()).toEqual(before)
  })

  test('closes today, changes its hours and resets today', async () => {
    const { post, readHtml, readSpecialDays, clock, undo } = await createSite()
    const readSaveId = (page: string) => /name="save" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const submitToday = async (fields: Fields, status = 200) => {
      clock.now += 1000
      const response = await post('approved', '/today', { day: '2026-11-20', ...fields })
      expect(response.status, JSON.stringify(fields)).toBe(status)
      return response.text()
    }
    const readVersion = async () =>
      String((await readSpecialDays()).find((row) => row.day === '2026-11-20')?.version ?? 0)

    const closed = await submitToday({ intent: 'close', version: '0' })
    expect(closed).toContain('本日を「臨時休業」にしました')
    expect(await readHtml('/')).toContain('本日は臨時休業です')
    expect(await readHtml('/infomation')).toContain('臨時休業')
    expect(await readHtml('/infomation')).toContain(
      '"validFrom":"2026-11-20","validThrough":"2026-11-20","opens":"00:00","closes":"00:00"',
    )
    expect((await undo(readSaveId(closed))).status).toBe(200)
    expect(await readHtml('/')).toContain('ただいま営業しております')

    await submitToday({ intent: 'change', version: '0', reason: '営業時間変更', ...hourFields('11:00 11:00') }, 400)
    await submitToday({ intent: 'change', version: '0', reason: '営業時間変更', ...hourFields('11:00 20:00') })
    expect(await readHtml('/calendar')).toContain('今日 営業時間変更 11:00〜20:00')
    await submitToday({ intent: 'usual', version: '0' }, 409)
    await submitToday({ intent: 'close', version: '0' }, 409)
    expect(await readHtml('/calendar')).toContain('今日 営業時間変更 11:00〜20:00')
    await submitToday({ intent: 'close', version: await readVersion() })
    expect(await readHtml('/')).toContain('本日は臨時休業です')
    const readOtherDays = async () => (await readSpecialDays()).filter((row) => row.day !== '2026-11-20')
    const before = await readOtherDays()
    await submitToday({ intent: 'usual', version: await readVersion() })
    expect(await readHtml('/calendar')).toContain('今日 営業 7:30〜10:00')
    expect(await readOtherDays()).toEqual(before)

    // The form was rendered before midnight, so it must not close the next day.
    clock.now += 24 * 60 * 60 * 1000
    await submitToday({ intent: 'close', version: '0' }, 409)
    expect((await readSpecialDays()).map((row) => row.day)).not.toContain('2026-11-21')
  })
})

function extractMain(html = '') {
  return html.slice(html.indexOf('<main'), html.indexOf('</main>'))
}
