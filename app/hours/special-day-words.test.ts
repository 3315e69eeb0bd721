import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { noHourFields } from './hour-fields.ts'

// The clock of the test site starts at noon on this Friday.
const friday = '2026-11-20'
const untilEight = { ...noHourFields, starttime1_hour: '17', endtime1_hour: '20' }
const closed = { reason: '臨時休業', cause: '法事のため', note: '21日（土）は通常どおりです。', ...noHourFields }
const privateFromEight = { reason: '営業時間変更', cause: '貸切', note: '20:00からは貸切です。', ...untilEight }

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const site = await sampleSite(await createDatabase())
    await site.people()
    const readHtml = async (path: string, person: 'guest' | 'approved' = 'guest') =>
      (await (await site.as(person, path)).text())
        .replaceAll('<!-- -->', '')
        // Removes the loader data from the document.
        .replaceAll(/<script>window\.__react.*?<\/script>/gs, '')
        .replaceAll(/<\/?span[^>]*>/g, '')
    const save = async (overrides: Record<string, string>, status = 302) => {
      site.clock.now += 1000
      const fields = { intent: 'special', first: friday, sure: 'yes', ...overrides }
      const response = await site.post('approved', '/bussinessdays?table=special', fields)
      expect(response.status).toBe(status)
      return { html: await response.text(), undo: response.headers.get('location')?.match(/undo=([^&]+)/)?.[1] ?? '' }
    }
    const submitToday = async (overrides: Record<string, string>, status = 200) => {
      site.clock.now += 1000
      const response = await site.post('approved', '/today', { day: friday, version: '0', ...overrides })
      expect(response.status).toBe(status)
      return (await response.text()).replaceAll('<!-- -->', '')
    }
    const readStored = () => site.db.selectFrom('specialDays').selectAll().where('day', '=', friday).executeTakeFirst()
    return { ...site, readHtml, save, submitToday, readStored }
  }
  const findFeedEntry = (text: string) =>
    text
      .replaceAll('\r\n ', '')
      .split('BEGIN:VEVENT')
      .find((entry) => entry.includes(`UID:shop-${friday}@`))

  onSqlite('shows the cause and the note of a closed day on every page and in the feed', async () => {
    const { save, readHtml } = await createSite()
    await save(closed)
    expect(await readHtml('/')).toMatch(/>本日は臨時休業です（法事のため）<.*21日（土）は通常どおりです。/s)
    const information = await readHtml('/infomation')
    expect(information).toMatch(/>本日は臨時休業です（法事のため）</)
    expect(information).toMatch(/<li>11月20日（金） 臨時休業（法事のため）.*21日（土）は通常どおりです。.*<\/li>/)
    const calendar = await readHtml(`/calendar?day=${friday}`)
    expect(calendar).toContain('11月20日（金） 今日 臨時休業（法事のため）')
    expect(calendar).toMatch(/<section id="day".*臨時休業（法事のため）.*21日（土）は通常どおりです。.*<\/section>/s)
    const entry = findFeedEntry(await readHtml('/calendar.ics'))
    expect(entry).toContain('SUMMARY:臨時休業（法事のため）')
    expect(entry).toContain('DESCRIPTION:21日（土）は通常どおりです。')
    expect(await readHtml('/bussinessdays?table=special')).toContain('21日（土）は通常どおりです。')
  })

  onSqlite('shows the hours of a partly closed day on pages and in structured data', async () => {
    const { save, readHtml, clock } = await createSite()
    await save(privateFromEight)
    const line = '営業時間変更（貸切） 営業は17:00〜20:00'
    expect(await readHtml('/infomation')).toContain(line)
    expect(await readHtml('/infomation')).toContain(
      '"validFrom":"2026-11-20","validThrough":"2026-11-20","opens":"17:00","closes":"20:00"',
    )
    expect(await readHtml('/calendar')).toContain(`11月20日（金） 今日 ${line}`)
    for (const [time, headline] of [
      ['16:00', '本日17:00より営業いたします'],
      ['18:00', 'ただいま営業しております'],
      ['20:00', '本日の営業は終了しました'],
    ] as const) {
      clock.now = Date.parse(`2026-11-20T${time}:00+09:00`)
      expect(await readHtml('/'), time).toMatch(new RegExp(`${headline}.*20:00からは貸切です。`, 's'))
    }
    clock.now = Date.parse('2026-11-21T12:00:00+09:00')
    expect(await readHtml('/')).not.toContain('20:00からは貸切です。')
  })

  onSqlite('omits a blank cause and a blank note', async () => {
    const { save, readHtml } = await createSite()
    await save({ ...closed, cause: '\u3000', note: ' ' })
    expect(await readHtml('/')).toContain('>本日は臨時休業です<')
    expect(await readHtml('/calendar')).toContain('11月20日（金） 今日 臨時休業<')
    expect(findFeedEntry(await readHtml('/calendar.ics'))).not.toContain('DESCRIPTION')
  })

  onSqlite('escapes the cause and the note of a day on every page', async () => {
    const { save, readHtml } = await createSite()
    await save({ ...closed, cause: '<b>貸切</b>', note: '</script><img src=x onerror=alert(1)>' })
    for (const path of ['/', '/infomation', `/calendar?day=${friday}`, '/bussinessdays?table=special']) {
      const page = await readHtml(path)
      expect(page, path).toContain('&lt;b&gt;貸切&lt;/b&gt;')
      expect(page, path).not.toMatch(/<b>貸切|<img src=x/)
    }
  })

  onSqlite('rejects a cause or a note that is too long with a field error', async () => {
    const { save, readStored } = await createSite()
    expect((await save({ ...closed, cause: '長'.repeat(21) }, 400)).html).toContain('詳しい理由は20文字までです')
    expect((await save({ ...closed, note: '長'.repeat(61) }, 400)).html).toContain('お客さまへの一文は60文字までです')
    expect(await readStored()).toBeUndefined()
    await save({ ...closed, cause: '長'.repeat(20), note: '文'.repeat(60) })
    expect(await readStored()).toMatchObject({ cause: '長'.repeat(20), note: '文'.repeat(60) })
  })

  test('shows the cause and the note in form and history', async () => {
    const { save, readHtml, post, readStored, clock } = await createSite()
    await save(closed)
    const form = await readHtml(`/bussinessdays?table=special&day=${friday}`, 'approved')
    expect(form).toMatch(/<input[^>]*name="cause"[^>]*value="法事のため"/)
    expect(form).toMatch(/<input[^>]*name="note"[^>]*value="21日（土）は通常どおりです。"/)
    const { undo } = await save({ ...privateFromEight, replacing: `${friday}:1` })
    expect(await readHtml(`/bussinessdays?table=special&day=${friday}`, 'approved')).toMatch(
      /詳しい理由.*法事のため.*貸切.*お客さまへの一文.*20:00からは貸切です。/s,
    )
    clock.now += 1000
    expect((await post('approved', '/undo', { save: undo })).status).toBe(200)
    expect(await readStored()).toMatchObject({ cause: '法事のため', note: '21日（土）は通常どおりです。', version: 3 })
  })

  onSqlite('closes today in one request and adds a cause and a note in the next', async () => {
    const { submitToday, readHtml, readStored } = await createSite()
    expect(await readHtml('/today', 'approved')).not.toContain('value="words"')
    const response = await submitToday({ intent: 'close' })
    expect(response).toContain('本日を「臨時休業」にしました。')
    expect(response).toContain('value="words"')
    const { cause, note } = closed
    expect(await submitToday({ intent: 'words', version: '1', cause, note })).toContain(
      '本日のお知らせを保存しました。',
    )
    expect(await readStored()).toMatchObject({ reason: '臨時休業', cause, note, version: 2 })
    const page = await readHtml('/today', 'approved')
    expect(page).toMatch(/臨時休業（法事のため）.*21日（土）は通常どおりです。/s)
    // A second closure of the same day must not change the cause and the note.
    await submitToday({ intent: 'close', version: '2' })
    expect(await readStored()).toMatchObject({ reason: '臨時休業', cause, note })
    await submitToday({ intent: 'words', version: '2', cause: '遅い人' }, 409)
    await submitToday({ intent: 'words', version: '3', cause: '長'.repeat(21) }, 400)
    expect(await readStored()).toMatchObject({ cause, version: 3 })
  })

  onSqlite('retains the reason and the hours of a closed day when its cause is saved', async () => {
    const { save, submitToday, readStored } = await createSite()
    await save({ ...closed, reason: '年末年始休業', ...untilEight })
    const before = await readStored()
    await submitToday({ intent: 'words', version: '1', cause: '棚卸し', note: '' })
    expect(await readStored()).toEqual({
      ...before,
      cause: '棚卸し',
      note: '',
      version: 2,
      updatedAt: expect.any(String),
    })
  })

  onSqlite('rejects a cause without hours unless the special day is closed', async () => {
    const { save, submitToday, readStored } = await createSite()
    await submitToday({ intent: 'words', cause: '貸切' }, 409)
    expect(await readStored()).toBeUndefined()
    await save(privateFromEight)
    await submitToday({ intent: 'words', version: '1', cause: '貸切' }, 409)
    expect(await readStored()).toMatchObject({ ...{ note: '20:00からは貸切です。' }, version: 1 })
  })

  test('saves the cause and the note of changed hours, and clears both when today is closed', async () => {
    const { submitToday, readStored } = await createSite()
    const { cause, note } = privateFromEight
    await submitToday({ intent: 'change', sure: 'yes', ...privateFromEight })
    expect(await readStored()).toMatchObject({ reason: '営業時間変更', cause, note })
    await submitToday({ intent: 'close', version: '1' })
    expect(await readStored()).toMatchObject({ reason: '臨時休業', cause: '', note: '' })
  })

  onSqlite('saves an opening without hours only after a confirmation', async () => {
    const { save, submitToday, readStored } = await createSite()
    for (const reason of ['臨時営業', '営業時間変更']) {
      const asked = await save({ reason, sure: '', ...noHourFields }, 409)
      expect(asked.html).toContain('営業時間が入力されていません。')
      expect(asked.html).toMatch(/<button[^>]*value="yes"[^>]*name="sure"[^>]*>時間は決めない</)
      expect(asked.html).toMatch(/<button[^>]*value=""[^>]*name="sure"[^>]*>この時間で保存する</)
      expect(await readStored()).toBeUndefined()
    }
    expect(await submitToday({ intent: 'change', reason: '臨時営業', ...noHourFields }, 409)).toContain(
      '営業時間が入力されていません。',
    )
    await save({ reason: '臨時営業', sure: 'yes', ...noHourFields })
    expect(await readStored()).toMatchObject({ reason: '臨時営業', hours: JSON.stringify(noHourFields) })
  })

  onSqlite('preselects no hours in the form of a special opening that has no hours', async () => {
    const { save, readHtml } = await createSite()
    await save({ reason: '臨時営業', ...noHourFields })
    const form = await readHtml(`/bussinessdays?table=special&day=${friday}`, 'approved')
    expect(form).toMatch(/<select name="starttime1_hour"[^>]*><option selected="">00</)
  })
})
