import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { noSlots, scheduleRows } from './business-day.ts'
import { saveSpecialDays } from './business-days.server.ts'
import { noHourFields } from './hour-fields.ts'

type Fields = Record<string, string>
const hours = (times: string) => {
  const numbers = times.match(/\d+/g) ?? []
  return Object.fromEntries(Object.keys(noHourFields).map((name, index) => [name, numbers[index] ?? '00']))
}
const week = (given: Fields = {}): Fields => ({
  intent: 'week',
  version: '1',
  beside: 'stays',
  closedDays: 'open',
  ...Object.fromEntries(
    scheduleRows.flatMap((row) => [
      [`${row}.open_or_close`, 'open'],
      ...Object.entries(hours('07:30 10:00 11:30 14:00')).map(([field, value]) => [`${row}.${field}`, value]),
    ]),
  ),
  ...given,
})
const day = (name: string, text: string) => {
  const [year = '', month = '', date = ''] = text.split('-')
  return { [`${name}Year`]: year, [`${name}Month`]: month, [`${name}Day`]: date }
}
const special = (given: Fields = {}): Fields => ({
  intent: 'special',
  ...day('first', '2026-12-10'),
  reason: '臨時休業',
  ...hours(''),
  ...given,
})

onEachEngine((fresh, engine) => {
  const site = async () => {
    const made = await sampleSite(await fresh())
    await made.people()
    const html = async (path: string, person: 'guest' | 'approved' = 'guest') => (await made.as(person, path)).text()
    const specialDays = () => made.db.selectFrom('specialDays').selectAll().orderBy('day').execute()
    const stored = () => made.db.selectFrom('businessWeek').selectAll().executeTakeFirst()
    const undo = (response: Response) =>
      new URL(response.headers.get('location') ?? '', 'http://localhost').searchParams.get('undo') ?? ''
    const takeBack = (save: string) => made.post('approved', '/undo', { save })
    return { ...made, html, specialDays, stored, undo, takeBack }
  }

  test('each table of the settings is called what it is, as the page that shows it', async () => {
    const { html } = await site()
    for (const [path, title, caption] of [
      ['/bussinessdays?by=day', '毎週の営業時間', '毎週の営業時間'],
      ['/bussinessdays?table=special', '特別営業日', 'これからの特別営業日'],
    ] as const) {
      for (const page of [await html(path), await html(path, 'approved')]) {
        expect(page).toContain(`<title>${title} |`)
        expect(page.match(/<table/g)).toHaveLength(1)
        expect(page).toMatch(new RegExp(`<table[^>]*><caption[^>]*>${caption}</caption>`))
      }
    }
  })

  test('the screens open for everyone; saving does not', async () => {
    const { html, post, stored, specialDays } = await site()
    for (const path of ['/bussinessdays', '/bussinessdays?table=special', '/today'])
      expect(await html(path)).toContain('この操作はスタッフと承認されたメンバーだけが行えます。ログインしてください')
    const [before, days] = [await stored(), await specialDays()]
    for (const [person, status] of [
      ['guest', 401],
      ['signedIn', 403],
      ['applicant', 403],
    ] as const) {
      expect((await post(person, '/bussinessdays?by=day', week())).status).toBe(status)
      expect((await post(person, '/bussinessdays', special())).status).toBe(status)
      expect((await post(person, '/today', { intent: 'close', day: '2026-11-20', version: '0' })).status).toBe(status)
    }
    expect([await stored(), await specialDays()]).toEqual([before, days])
  }, 20_000)

  test('who may not save sees what is set, and no button, unless the owner shows these to visitors', async () => {
    const { as, showEditButtons, post } = await site()
    expect((await post('approved', '/bussinessdays', special())).status).toBe(302)
    const paths = ['/bussinessdays', '/bussinessdays?by=day', '/bussinessdays?table=special&day=2026-12-10', '/today']
    const read = (person: 'guest' | 'signedIn' | 'applicant') =>
      Promise.all(paths.map(async (path) => (await as(person, path)).text()))
    const controls = /<fieldset|<select|<input|type="submit"|ほかの日を設定する|編集する|保存する/
    for (const person of ['guest', 'signedIn', 'applicant'] as const) {
      const [week, byDay, specialDays, today] = await read(person)
      for (const page of [week, byDay, specialDays, today]) expect(mainOf(page), person).not.toMatch(controls)
      expect(week).toMatch(/火曜日<\/th><td>定休日</)
      expect(byDay).toMatch(/火曜日<\/th><td>定休日</)
      expect(specialDays).toMatch(/12月10日.*臨時休業/)
      expect(today).toContain('営業 7:30〜10:00')
    }
    await showEditButtons()
    for (const page of await read('guest')) expect(page).toMatch(/<fieldset[^>]* disabled=""/)
  })

  test('the week is saved, returns to the calendar, shows everywhere, and is taken back in one tap', async () => {
    const { post, html, undo, takeBack, clock, stored } = await site()
    clock.now += 1000
    const saved = await post('approved', '/bussinessdays?by=day', week({ '金曜日.open_or_close': 'close' }))
    expect([saved.status, saved.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^\/calendar\?done=hours&undo=/),
    ])
    expect(await html('/calendar')).toContain('11月20日（金） 今日 定休日')
    expect(await html('/')).toContain('本日は定休日です')
    expect(await html('/infomation')).toContain('"dayOfWeek":"Friday","opens":"00:00","closes":"00:00"')
    clock.now += 1000
    const taken = await takeBack(undo(saved))
    expect(taken.status).toBe(200)
    expect(await html('/calendar')).toContain('今日 営業 7:30〜10:00')
    expect(await html('/infomation')).toContain('"dayOfWeek":"Friday","opens":"07:30","closes":"10:00"')
    expect((await stored())?.version).toBe(3)
    expect((await takeBack(undo(saved))).status).toBe(409)
  })

  test('where the week changes, what is written beside its table is asked about before anything is stored', async () => {
    const { post, stored, db, html } = await site()
    const before = await stored()
    const changed = week({ '金曜日.open_or_close': 'close', beside: '' })
    const asked = await post('approved', '/bussinessdays?by=day', changed)
    expect([asked.status, await stored()]).toEqual([409, before])
    const question = await asked.text()
    expect(question).toContain('新しい営業時間に合っていますか？')
    expect(question).toContain('木曜日から月曜日まで、朝の部と昼の部に分けて営業しております。')
    expect(question).not.toContain('文章を編集する')
    expect(await (await post('administrator', '/bussinessdays?by=day', changed)).text()).toContain('文章を編集する')

    const mends = await post('administrator', '/bussinessdays?by=day', { ...changed, beside: 'mend' })
    expect(mends.headers.get('location')).toMatch(/^\/site\?done=hours&undo=[^#]+#guide$/)
    expect(await html('/infomation')).toContain(
      '土曜日から木曜日までの7:30〜10:00と11:30〜14:00に営業しております。金曜日は定休日です。',
    )
    // Who is too late hears of that, and is asked once they save what they have then seen.
    const open = week({ beside: '' })
    const late = await (await post('administrator', '/bussinessdays?by=day', open)).text()
    expect(late).toContain('ほかの方が先に保存しました。')
    expect(late).not.toContain('新しい営業時間に合っていますか？')
    // Nothing is asked where nothing that a visitor sees is another, or nothing is written there.
    const same = week({ version: '2', '金曜日.open_or_close': 'close', '金曜日.endtime2_hour': '15', beside: '' })
    expect((await post('approved', '/bussinessdays?by=day', same)).status).toBe(302)
    const facts = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
    const without = JSON.stringify({ ...JSON.parse(facts.facts), hoursInWords: '' })
    await db.updateTable('site').set({ facts: without }).execute()
    expect((await post('approved', '/bussinessdays?by=day', week({ version: '3', beside: '' }))).status).toBe(302)
  })

  test('a change of hours without a time, or without a part, is asked about before anything is stored', async () => {
    const { post, specialDays, html } = await site()
    const before = await specialDays()
    const change = (given: Fields) => special({ ...day('first', '2026-12-10'), reason: '営業時間変更', ...given })
    const none = await post('approved', '/bussinessdays?table=special', change(hours('')))
    expect([none.status, await specialDays()]).toEqual([409, before])
    expect(await none.text()).toContain('時間が入力されていません。')
    const shorter = await post('approved', '/bussinessdays?table=special', change(hours('08:00 10:00')))
    expect([shorter.status, await specialDays()]).toEqual([409, before])
    const question = await shorter.text()
    expect(question).toContain('通常の第2部（11:30〜14:00）がなくなります。')
    expect(question).not.toContain('第1部（7:30')
    expect((await post('approved', '/bussinessdays', change({ ...hours('08:00 10:00'), sure: 'yes' }))).status).toBe(
      302,
    )
    expect(await html('/calendar?month=2026-12')).toContain('12月10日（木） 営業時間変更 8:00〜10:00')
    // One long part is both.
    expect(
      (await post('approved', '/bussinessdays', change({ ...hours('07:30 14:00'), ...day('first', '2026-12-11') })))
        .status,
    ).toBe(302)
    // Today as well.
    const today = { intent: 'change', day: '2026-11-20', version: '0', reason: '営業時間変更' }
    const asked = await post('approved', '/today', { ...today, ...hours('') })
    expect([asked.status, await html('/')]).toEqual([409, expect.stringContaining('ただいま営業しております')])
    expect(await asked.text()).toContain('時間が入力されていません。')
    expect((await post('approved', '/today', { ...today, ...hours(''), sure: 'yes' })).status).toBe(200)
    expect(await html('/')).toContain('本日は営業日です')
  })

  test('other hours begin with those of the day, never at midnight; another day than today is asked for', async () => {
    const { html, post, clock } = await site()
    const chosen = (page: string) =>
      [...page.matchAll(/<select name="(?:start|end)time.*?<option[^>]*selected=""[^>]*>([^<]*)</g)]
        .map(([, at]) => at)
        .join(' ')
    const usual = '07 30 10 00 11 30 14 00'
    expect(chosen(await html('/today', 'approved'))).toBe(usual)
    expect(chosen(await html('/bussinessdays?table=special&day=2026-11-26', 'approved'))).toBe(usual)
    // A Tuesday, on which the shop is closed.
    expect(chosen(await html('/bussinessdays?table=special&day=2026-11-24', 'approved'))).toBe(usual)
    const page = await html('/today', 'approved')
    expect(page).toMatch(/href="\/bussinessdays\?table=special"[^>]*>ほかの日を設定する/)
    expect(await html('/bussinessdays?table=special', 'approved')).toContain('name="firstYear"')
    // Round the clock in two parts is what it is, and a closure is no hours to begin with.
    const allDay = { '金曜日.starttime1_hour': '00', '金曜日.starttime1_minute': '00', '金曜日.endtime1_hour': '12' }
    const rest = { '金曜日.starttime2_hour': '12', '金曜日.starttime2_minute': '00', '金曜日.endtime2_hour': '00' }
    await post('approved', '/bussinessdays?by=day', week({ ...allDay, ...rest }))
    clock.now += 60_000
    expect(chosen(await html('/today', 'approved'))).toBe('00 00 12 00 12 00 00 00')
    expect(await html('/')).toContain('"dayOfWeek":"Friday","opens":"00:00","closes":"23:59"')
    await post('approved', '/today', { intent: 'close', day: '2026-11-20', version: '0' })
    expect(chosen(await html('/today', 'approved'))).toBe('00 00 12 00 12 00 00 00')
  })

  test('special hours are told to machines on every page that has the restaurant, as far ahead as they are set', async () => {
    const { html, post } = await site()
    await post('approved', '/bussinessdays', special({ ...day('first', '2027-11-09') }))
    for (const path of ['/', '/infomation', '/access', '/dining', '/calendar', '/tennisrelated']) {
      expect(await html(path), path).toContain(
        '"validFrom":"2026-12-31","validThrough":"2027-01-03","opens":"00:00","closes":"00:00"',
      )
      expect(await html(path), path).toContain('"validFrom":"2027-11-09","validThrough":"2027-11-09","opens":"00:00"')
    }
  })

  test('the first save creates the schedule; of two at once one does, the other is told', async () => {
    const { post, html, db, stored } = await site()
    await db.deleteFrom('businessWeek').execute()
    await db.deleteFrom('revisions').where('subject', '=', 'businessWeek').execute()
    expect(await html('/bussinessdays?by=day', 'approved')).toContain('スケジュールを登録する')
    expect(await html('/calendar')).not.toContain('営業 7:30')
    const answers = await Promise.all(
      [1, 2].map(() => post('approved', '/bussinessdays?by=day', week({ version: '0' }))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 409])
    expect((await stored())?.version).toBe(1)
    expect(await html('/bussinessdays?by=day', 'approved')).toContain('編集する')
  })

  test('days that follow each other are told to guests as one closure, others one by one', async () => {
    const { db, as } = await site()
    const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
    const days = ['2026-11-26', '2026-12-03', '2026-12-04', '2026-12-05']
    await saveSpecialDays(db, { days, reason: '臨時休業', slots: noSlots }, new Map(), author)
    const html = (await (await as('guest', '/infomation')).text()).replace(/<\/?span[^>]*>/g, '')
    expect(html).toMatch(/11月26日（木）\s*臨時休業/)
    expect(html).toMatch(/12月3日（木）\s*から12月5日（土）まで\s*臨時休業/)
  })

  test('the second of two editors sees the newer week beside their own, nothing lost', async () => {
    const { post, stored } = await site()
    await post('approved', '/bussinessdays?by=day', week({ '木曜日.open_or_close': 'close' }))
    const mine = week({ '金曜日.endtime2_hour': '16' })
    const late = await post('administrator', '/bussinessdays?by=day', mine)
    expect(late.status).toBe(409)
    const html = await late.text()
    expect(html).toContain('ほかの方が先に保存しました')
    expect(html).toMatch(/新しい内容：(?:<!-- -->)?定休日/)
    expect(html).toMatch(/name="金曜日.endtime2_hour"[\s\S]*?<option selected="">16/)
    expect(html).toContain('name="version" value="2"')
    expect(JSON.parse((await stored())?.schedule ?? '').金曜日.endtime2_hour).toBe('14')
    expect((await post('administrator', '/bussinessdays?by=day', { ...mine, version: '2' })).status).toBe(302)
  })

  test('impossible hours are refused at their field, and nothing is stored', async () => {
    const { post, stored } = await site()
    const before = await stored()
    for (const wrong of [
      { '金曜日.starttime1_hour': '24' },
      { '金曜日.starttime1_minute': '60' },
      { '金曜日.endtime1_hour': '-1' },
      { '金曜日.endtime1_hour': '七' },
      { '金曜日.starttime1_hour': '10', '金曜日.starttime1_minute': '00' },
      { '金曜日.open_or_close': 'perhaps' },
    ] as Fields[]) {
      const response = await post('approved', '/bussinessdays?by=day', week(wrong))
      expect(response.status, JSON.stringify(wrong)).toBe(400)
      expect(await response.text()).toContain('入力内容をご確認ください')
    }
    const incomplete = week()
    delete incomplete['日曜日.starttime1_hour']
    expect((await post('approved', '/bussinessdays?by=day', incomplete)).status).toBe(400)
    expect(await stored()).toEqual(before)
  })

  test('an odd minute is kept and offered; a closed day keeps its times', async () => {
    const { post, html, stored } = await site()
    await post(
      'approved',
      '/bussinessdays?by=day',
      week({ '金曜日.endtime1_minute': '07', '月曜日.open_or_close': 'close' }),
    )
    expect(await html('/bussinessdays?by=day', 'approved')).toContain('<option selected="">07</option>')
    const schedule = JSON.parse((await stored())?.schedule ?? '')
    expect([schedule.金曜日.endtime1_minute, schedule.月曜日.starttime1_hour]).toEqual(['07', '07'])
  })

  test('impossible special days are refused, and nothing is stored', async () => {
    const { post, specialDays } = await site()
    const before = await specialDays()
    for (const [wrong, sentence] of [
      [day('first', '2026-02-30'), 'この日付はありません'],
      [day('first', '2027-02-29'), 'この日付はありません'],
      [day('first', '2026-13-01'), 'この日付はありません'],
      [day('first', '2024-12-31'), '2025年から2100年まで'],
      [day('first', '2101-01-01'), '2025年から2100年まで'],
      [{ reason: ' ' }, '理由を選んでください'],
      [{ reason: '営業時間変更', ...hours('10:00 10:00') }, '開始と終了が同じ時刻です'],
      [{ bulk: 'yes', rhythm: '毎日', weekday: '0', ...day('last', '2026-12-09') }, '終了日は開始日より後に'],
      [{ bulk: 'yes', rhythm: '毎日', weekday: '0', ...day('last', '2027-12-11') }, '366日まで'],
      [{ bulk: 'yes', rhythm: '第5', weekday: '2', ...day('last', '2026-12-20') }, '該当する日がありません'],
      [{ bulk: 'yes', rhythm: 'ときどき', weekday: '2', ...day('last', '2026-12-20') }, '繰り返しを選んでください'],
    ] as const) {
      const response = await post('approved', '/bussinessdays?table=special', special(wrong as Fields))
      expect(response.status, sentence).toBe(400)
      expect(await response.text()).toContain(sentence)
    }
    expect(await specialDays()).toEqual(before)
  })

  // SQLite alone: what is counted is the same, and a year of days takes PostgreSQL a while.
  if (engine === 'SQLite')
    test('every day of a leap year is set in one save', async () => {
      const { post, specialDays } = await site()
      const year = {
        bulk: 'yes',
        rhythm: '毎日',
        weekday: '0',
        ...day('first', '2028-01-01'),
        ...day('last', '2028-12-31'),
      }
      expect((await post('approved', '/bussinessdays', special(year))).status).toBe(302)
      expect((await specialDays()).filter((row) => row.day.startsWith('2028-'))).toHaveLength(366)
    })

  test('a closure keeps the hours it hides', async () => {
    const { post, specialDays, html } = await site()
    await post('approved', '/bussinessdays', special(hours('10:00 12:00')))
    const [saved] = await specialDays()
    expect([saved?.day, JSON.parse(saved?.hours ?? '').starttime1_hour]).toEqual(['2026-12-10', '10'])
    expect(await html('/calendar?month=2026-12')).toContain('>12月10日（木） 臨時休業<')
  })

  test('every second Tuesday in one save; existing days are listed once, then replaced; all taken back in one tap', async () => {
    const { post, specialDays, undo, takeBack, clock, html } = await site()
    const before = await specialDays()
    await post('approved', '/bussinessdays', special({ ...day('first', '2027-01-12'), reason: '臨時休業' }))
    clock.now += 1000
    const tuesdays = special({
      ...day('first', '2026-12-01'),
      ...day('last', '2027-03-31'),
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
    expect((await specialDays()).filter(({ reason }) => reason === '臨時営業')).toEqual([])

    const replacing = /value="(\d{4}-\d\d-\d\d:\d+)"/.exec(question)?.[1] ?? ''
    const saved = await post('approved', '/bussinessdays', { ...tuesdays, replacing })
    expect(saved.status).toBe(302)
    const chosen = (await specialDays()).filter(({ reason }) => reason === '臨時営業').map((row) => row.day)
    expect(chosen).toEqual(['2026-12-08', '2027-01-12', '2027-02-09', '2027-03-09'])
    expect(await html('/calendar?month=2026-12')).toContain('12月8日（火） 臨時営業')

    // What was agreed to is that version alone.
    expect((await post('approved', '/bussinessdays', { ...tuesdays, replacing })).status).toBe(409)
    clock.now += 1000
    expect((await takeBack(undo(saved))).status).toBe(200)
    const days = (await specialDays()).map((row) => [row.day, row.reason])
    expect(days).toEqual([...before.map((row) => [row.day, row.reason]), ['2027-01-12', '臨時休業']].sort())
  })

  test('what cannot be read is nothing to visitors, named to editors, kept until they say otherwise', async () => {
    const { post, html, db, stored, specialDays } = await site()
    await db.updateTable('businessWeek').set({ schedule: '{"日曜日":' }).execute()
    await db.updateTable('specialDays').set({ hours: 'nonsense' }).where('day', '=', '2026-12-31').execute()
    expect(await html('/calendar?month=2026-12')).not.toContain('営業 7:30')
    // A closure says all without its hours.
    expect(await html('/calendar?month=2026-12')).toContain('12月31日（木） 年末年始休業')
    expect(await html('/infomation')).toContain('"validThrough":"2027-01-03","opens":"00:00","closes":"00:00"')
    expect(await html('/bussinessdays')).not.toContain('読めないデータ')
    expect(await html('/bussinessdays?table=special')).not.toContain('読めないデータ')
    expect(await html('/bussinessdays', 'approved')).toContain('読めないデータが1件あります')
    expect(await html('/bussinessdays?table=special', 'approved')).toMatch(
      /読めないデータが(?:<!-- -->)?1(?:<!-- -->)?件あります/,
    )

    expect((await post('approved', '/bussinessdays?by=day', week())).status).toBe(409)
    expect((await stored())?.schedule).toBe('{"日曜日":')
    expect((await post('approved', '/bussinessdays?by=day', week({ overwriting: 'yes' }))).status).toBe(302)
    expect(await html('/calendar')).toContain('営業 7:30')

    expect((await post('approved', '/bussinessdays', special(day('first', '2026-12-31')))).status).toBe(409)
    expect((await specialDays()).find((row) => row.day === '2026-12-31')?.hours).toBe('nonsense')
  })

  test('a save that fails says the specified sentence', async () => {
    const { post, db, stored } = await site()
    const before = await stored()
    await db.schema.dropTable('revisions').execute()
    const response = await post('approved', '/bussinessdays?by=day', week())
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('データの保存に失敗しました。もう一度お試しください')
    expect(await stored()).toEqual(before)
  })

  test('today is closed, changed and made usual again in one tap each, and each is taken back', async () => {
    const { post, html, specialDays, clock, takeBack } = await site()
    const saveIn = (page: string) => /name="save" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const today = async (fields: Fields, status = 200) => {
      clock.now += 1000
      const response = await post('approved', '/today', { day: '2026-11-20', ...fields })
      expect(response.status, JSON.stringify(fields)).toBe(status)
      return response.text()
    }
    const versionNow = async () => String((await specialDays()).find((row) => row.day === '2026-11-20')?.version ?? 0)

    const closed = await today({ intent: 'close', version: '0' })
    expect(closed).toContain('本日を「臨時休業」にしました')
    expect(await html('/')).toContain('本日は臨時休業です')
    expect(await html('/infomation')).toContain('臨時休業')
    expect(await html('/infomation')).toContain(
      '"validFrom":"2026-11-20","validThrough":"2026-11-20","opens":"00:00","closes":"00:00"',
    )
    expect((await takeBack(saveIn(closed))).status).toBe(200)
    expect(await html('/')).toContain('ただいま営業しております')

    await today({ intent: 'change', version: '0', reason: '営業時間変更', ...hours('11:00 11:00') }, 400)
    await today({ intent: 'change', version: '0', reason: '営業時間変更', ...hours('11:00 20:00') })
    expect(await html('/calendar')).toContain('今日 営業時間変更 11:00〜20:00')
    await today({ intent: 'usual', version: '0' }, 409)
    await today({ intent: 'close', version: '0' }, 409)
    expect(await html('/calendar')).toContain('今日 営業時間変更 11:00〜20:00')
    await today({ intent: 'close', version: await versionNow() })
    expect(await html('/')).toContain('本日は臨時休業です')
    const others = async () => (await specialDays()).filter((row) => row.day !== '2026-11-20')
    const before = await others()
    await today({ intent: 'usual', version: await versionNow() })
    expect(await html('/calendar')).toContain('今日 営業 7:30〜10:00')
    expect(await others()).toEqual(before)

    // Left open over midnight, it does not close the next day.
    clock.now += 24 * 60 * 60 * 1000
    await today({ intent: 'close', version: '0' }, 409)
    expect((await specialDays()).map((row) => row.day)).not.toContain('2026-11-21')
  })
})

function mainOf(html = '') {
  return html.slice(html.indexOf('<main'), html.indexOf('</main>'))
}
