import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { eachRow } from './business-day.ts'
import { readWeek, saveWeek } from './business-days.server.ts'
import { noHourFields } from './hour-fields.ts'

// The clock of the test site starts at noon on Friday, 20 November 2026.
const saturday = '2026-11-21'
const DAY_MS = 24 * 60 * 60 * 1000
const hours = { ...noHourFields, starttime1_hour: '08', endtime1_hour: '15' }

onEachEngine((createDatabase) => {
  const createSite = async () => {
    const site = await sampleSite(await createDatabase())
    await site.people()
    const readHtml = async (path: string) => (await (await site.as('approved', path)).text()).replaceAll('<!-- -->', '')
    const readStored = async () =>
      (await site.db.selectFrom('specialDays').select(['day', 'reason', 'version']).orderBy('day').execute()).filter(
        ({ day }) => day < '2026-12-01',
      )
    const send = async (fields: Record<string, string>, status = 200) => {
      site.clock.now += 1000
      const response = await site.post('approved', `/today?day=${saturday}`, { version: '0', ...fields })
      expect(response.status, JSON.stringify(fields)).toBe(status)
      return (await response.text()).replaceAll('<!-- -->', '')
    }
    return { ...site, readHtml, readStored, send }
  }

  test('shows the form of tomorrow only when the URL names tomorrow', async () => {
    const { readHtml } = await createSite()
    const today = await readHtml('/today')
    expect(today).toContain('本日をお休みにします')
    expect(today).toContain('name="day" value="2026-11-20"')
    expect(today).toMatch(new RegExp(`href="/today\\?day=${saturday}"[^>]*>明日<`))
    expect(today).toMatch(/href="\/bussinessdays"[^>]*>毎週の営業時間</)
    expect(today).not.toMatch(/<details[^>]* open/)
    expect(today).toContain('<title>本日の営業 |')
    const tomorrow = await readHtml(`/today?day=${saturday}`)
    expect(tomorrow).toContain('明日をお休みにします')
    expect(tomorrow).toContain(`name="day" value="${saturday}"`)
    expect(tomorrow).not.toContain('本日をお休みにします')
    expect(tomorrow).toContain('<title>明日の営業 |')
    expect(tomorrow).toMatch(/<details[^>]* open=""><summary[^>]*><span[^>]*>時間変更/)
    for (const other of ['2026-11-20', '2026-11-19', '2026-11-22', 'tomorrow', '<script>']) {
      const page = await readHtml(`/today?day=${encodeURIComponent(other)}`)
      expect(page, other).toContain('name="day" value="2026-11-20"')
      expect(page, other).not.toContain('<script>"')
    }
  })

  test('closes, changes and resets tomorrow without changing today', async () => {
    const { send, readHtml, readStored } = await createSite()
    const closed = await send({ intent: 'close', day: saturday })
    expect(closed).toContain('明日 11月21日（土）を「臨時休業」にしました。')
    expect(closed).toContain('「臨時休業」を取り消します')
    expect(await readStored()).toEqual([{ day: saturday, reason: '臨時休業', version: 1 }])
    expect(await readHtml('/')).toContain('ただいま営業しております')
    // The form first asks about the omitted second slot. The cancel link of this question leads to tomorrow.
    const change = {
      intent: 'change',
      day: saturday,
      reason: '営業時間変更',
      version: '1',
      ...hours,
      endtime1_hour: '10',
    }
    const asked = await send(change, 409)
    expect(asked).toContain('通常の第2部（11:30〜14:00）がなくなります。')
    expect(asked).toContain(`href="/today?day=${saturday}"`)
    const changed = await send({ ...change, sure: 'yes' })
    expect(changed).toContain('明日 11月21日（土）を「営業時間変更」にしました。')
    expect(await readHtml('/calendar')).toContain('11月21日（土） 営業時間変更 8:00〜10:00')
    const usual = await send({ intent: 'usual', day: saturday, version: '2' })
    expect(usual).toContain('明日 11月21日（土）を通常どおりに戻しました。')
    expect(await readStored()).toEqual([])
  })

  test('applies a form for tomorrow to its original date when it is submitted after midnight', async () => {
    const { send, readHtml, readStored, clock } = await createSite()
    clock.now += DAY_MS
    expect(await readHtml(`/today?day=${saturday}`)).toContain('本日をお休みにします')
    expect(await send({ intent: 'close', day: saturday })).toContain('本日を「臨時休業」にしました。')
    expect(await readStored()).toEqual([{ day: saturday, reason: '臨時休業', version: 1 }])
    clock.now += DAY_MS
    for (const intent of ['close', 'change', 'usual']) {
      const rejectedHtml = await send({ intent, day: saturday, version: '1', reason: '営業時間変更', ...hours }, 409)
      expect(rejectedHtml).toContain('日付が変わりました。現在の内容をご確認ください。')
    }
    for (const day of ['2026-11-24', '2026-11-21', '', 'tomorrow']) await send({ intent: 'close', day }, 409)
    expect(await readStored()).toEqual([{ day: saturday, reason: '臨時休業', version: 1 }])
  })

  const night = { ...noHourFields, starttime1_hour: '18', endtime1_hour: '01' }

  test('closes and reopens the running night after midnight', async () => {
    const { send, post, readHtml, readStored, clock } = await createSite()
    await post('approved', '/bussinessdays', { ...night, intent: 'special', first: saturday, reason: '臨時営業' })
    clock.now = Date.parse('2026-11-22T00:20:00+09:00')
    expect(await readHtml('/')).toContain('ただいま営業しております')
    const page = await readHtml('/today')
    expect(page).toContain(`name="day" value="${saturday}"`)
    expect(page).toMatch(/href="\/today\?day=2026-11-22"[^>]*>明日</)
    expect(await readHtml('/today?day=2026-11-22')).toContain('明日をお休みにします')
    const closed = await send({ intent: 'close', day: saturday, version: '1' })
    expect(closed).toContain('本日を「臨時休業」にしました。')
    expect(await readStored()).toEqual([{ day: saturday, reason: '臨時休業', version: 2 }])
    expect(await readHtml('/')).not.toContain('ただいま営業しております')
    const change = { ...night, endtime1_hour: '02', intent: 'change', day: saturday, reason: '臨時営業', version: '2' }
    expect(await send(change)).toContain('本日を「臨時営業」にしました。')
    expect(await readHtml('/')).toContain('ただいま営業しております')
  })

  test('keeps showing a usual night that was closed while it was running', async () => {
    const { send, readHtml, readStored, clock, db } = await createSite()
    const { version } = await readWeek(db)
    const slots = [{ start: '18:00', end: '01:00' }, null]
    const author = { accountId: null, at: new Date(clock.now).toISOString() }
    await saveWeek(
      db,
      eachRow((row) => ({ open: row !== '日曜日' && row !== '祝前日', slots })),
      { version },
      author,
    )
    clock.now = Date.parse('2026-11-22T00:20:00+09:00')
    expect(await send({ intent: 'close', day: saturday })).toContain('本日を「臨時休業」にしました。')
    expect(await readHtml('/today')).toContain(`name="day" value="${saturday}"`)
    expect(await send({ intent: 'usual', day: saturday, version: '1' })).toContain('本日を通常どおりに戻しました。')
    expect(await readStored()).toEqual([])
    clock.now = Date.parse('2026-11-22T01:00:00+09:00')
    expect(await readHtml('/today')).toContain('name="day" value="2026-11-22"')
    await send({ intent: 'close', day: saturday }, 409)
    // Sunday is closed, although its rows have hours.
    clock.now = Date.parse('2026-11-23T00:20:00+09:00')
    expect(await readHtml('/today')).toContain('name="day" value="2026-11-23"')
    expect(await readStored()).toEqual([])
  })
})
