import { expect, test, vi } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { addAccount } from '../accounts/accounts.server.ts'
import { readSite, readSiteToEdit, saveSite } from './site.server.ts'
import { SiteFacts } from './site.ts'
import { siteFormValues } from './site-form.ts'

vi.setConfig({ testTimeout: 60_000 })

onEachEngine((fresh) => {
  const site = async () => {
    const made = await sampleSite(await fresh())
    await made.people()
    const { version, facts } = await readSiteToEdit(made.db)
    const seen = { ...siteFormValues(facts), version: String(version) }
    const save = (fields: Record<string, string>) => made.post('administrator', '/site', { ...seen, ...fields })
    const revisions = () =>
      made.db.selectFrom('revisions').selectAll().where('subject', '=', 'site').orderBy('at').execute()
    return { ...made, seen, save, revisions, facts: () => readSite(made.db) }
  }

  test('an administrator changes the shop; every page says so, and nothing of the rest is lost', async () => {
    const { save, as, facts } = await site()
    const before = await facts()
    const said = {
      name: '  食事処 むすび ',
      directions: '祇園四条から東へ\r\n\r\n 八坂の塔を北へ ',
      'links.0.name': '予約',
      'links.0.url': 'https://example.jp/yoyaku',
      'recipients.shop': 'mise@example.jp',
      dishesAndCalendarByStaffOnly: 'on',
    }
    const response = await save(said)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('保存しました')
    expect(await facts()).toEqual({
      ...before,
      name: '食事処 むすび',
      directions: ['祇園四条から東へ', '八坂の塔を北へ'],
      links: [{ name: '予約', url: 'https://example.jp/yoyaku' }],
      recipients: { shop: 'mise@example.jp', circle: '', portfolio: '' },
      dishesAndCalendarByStaffOnly: true,
    })
    expect(await (await save(said)).text()).toContain('変わったところはありませんでした')
    const home = await (await as('guest', '/')).text()
    expect(home).toContain('食事処 むすび')
    expect(home).toContain('https://example.jp/yoyaku')
    expect(home).not.toContain('ダイニング結')
    expect(home).not.toContain('mise@example.jp')
    expect((await as('administrator', '/site')).headers.get('cache-control')).toContain('no-store')
  })

  test('the owner chooses one of five palettes; every page is in it from its first byte, and only in it', async () => {
    const { save, as, facts } = await site()
    const page = async (path: string) => (await as('guest', path)).text()
    expect((await facts()).palette).toBe('shu')
    expect(await page('/dining')).toContain('<html lang="ja" data-palette="shu">')

    expect((await save({ palette: 'ai' })).status).toBe(200)
    expect((await facts()).palette).toBe('ai')
    for (const path of ['/', '/dining', '/videoproduction', '/unknown'])
      expect((await page(path)).match(/ data-palette="\w+"/g), path).toEqual([' data-palette="ai"'])
    const form = await (await as('administrator', '/site')).text()
    expect([...form.matchAll(/<input type="radio" name="palette"([^>]*)\/>/g)].map(([, rest]) => rest)).toEqual([
      ' value="shu"',
      ' checked="" value="ai"',
      ' value="matcha"',
      ' value="sumi"',
      ' value="budou"',
    ])
    // The history calls it by its name.
    expect(form).toMatch(/<dt>色<\/dt>.*朱<\/del>.*藍<\/ins>/)
  })

  test('the readers’ addresses come to administrators alone', async () => {
    const { save, as } = await site()
    await save({ 'recipients.circle': 'himitsu@example.jp' })
    for (const person of ['guest', 'signedIn', 'applicant', 'approved', 'administrator'] as const) {
      for (const path of ['/site', '/site.data', '/', '/_.data', '/mail', '/inbox', '/bin']) {
        const tells = (await (await as(person, path)).text()).includes('himitsu@example.jp')
        expect(tells, `${person} ${path}`).toBe(person === 'administrator' && path.startsWith('/site'))
      }
    }
  })

  test.each([
    ['店名を入力してください', { name: '　' }],
    ['店名は40文字までです', { name: '長'.repeat(41) }],
    ['印の文字は2文字までです', { seal: '結結結' }],
    ['使えない文字が含まれています', { telephone: '075\u0000' }],
    ['色をお選びください', { palette: 'aka' }],
    ['色をお選びください', { palette: '' }],
    ['色をお選びください', { palette: 'toString' }],
    ['道順は12行までです', { directions: '道\n'.repeat(13) }],
    ['リンクは https:// で始まるアドレス', { 'links.0.name': '予約', 'links.0.url': 'javascript:alert(1)' }],
    ['リンクの名前を入力してください', { 'links.1.url': 'https://example.jp' }],
    ['リンクのアドレスを入力してください', { 'links.0.name': '予約' }],
    ['有効なメールアドレスではありません', { 'recipients.shop': 'mise' }],
    ['有効なメールアドレスではありません', { 'recipients.shop': 'a@example.jp, b@example.jp' }],
  ] as [string, Record<string, string>][])(
    '%s: so it is refused beside its field, and what was typed stays',
    async (sentence, wrong) => {
      const { save, facts, revisions } = await site()
      const before = await facts()
      const response = await save({ description: 'あたらしい紹介', ...wrong })
      expect(response.status).toBe(400)
      const html = await response.text()
      expect(html).toContain(sentence)
      expect(html).toContain('あたらしい紹介')
      expect(await facts()).toEqual(before)
      expect(await revisions()).toHaveLength(1)
    },
  )

  test('who reads what visitors write is said: those who are named, else the administrators, else nobody', async () => {
    const { as, post, people, db } = await sampleSite(await fresh(), {}, { verifies: true })
    await people()
    const { version, facts } = await readSiteToEdit(db)
    const said = async () => (await (await as('administrator', '/site')).text()).replaceAll('<!-- -->', '')
    expect(await said()).toContain('いまは、お問い合わせを読む人が決まっていません')
    const noren = { id: 'demo-administrator', name: '暖簾 結', email: 'noren@example.jp', hash: 'none' }
    await addAccount(db, noren, '2026-11-20T00:00:00.000Z')
    expect(await said()).toContain('いまは、お問い合わせを読む人が決まっていません')
    await db.updateTable('accounts').set({ emailVerified: 1 }).execute()
    expect(await said()).toContain('1つめの宛先を読む人が空のあいだは、noren@example.jp に届きます')
    const named = { ...siteFormValues(facts), version: String(version), 'recipients.shop': 'mise@example.jp' }
    expect((await post('administrator', '/site', named)).status).toBe(200)
    expect(await said()).not.toContain('が空のあいだは')
    for (const person of ['guest', 'approved'] as const)
      expect(await (await as(person, '/site')).text()).not.toContain('noren@example.jp')
  })

  test('two editors who change different facts lose neither; of the same one, the second sees both texts', async () => {
    const { save, facts } = await site()
    await save({ notice: '十二月は休まず営業します', 'recipients.shop': 'ichi@example.jp' })
    expect((await save({ seats: 'カウンター10席', 'recipients.circle': 'ni@example.jp' })).status).toBe(200)
    expect(await facts()).toMatchObject({
      notice: '十二月は休まず営業します',
      seats: 'カウンター10席',
      recipients: { shop: 'ichi@example.jp', circle: 'ni@example.jp', portfolio: '' },
    })

    const late = await save({ seats: 'カウンター6席', payment: '現金だけ' })
    expect(late.status).toBe(409)
    const html = await late.text()
    expect(html).toContain('カウンター10席')
    expect(html).toContain('カウンター6席')
    expect(html).toContain('十二月は休まず営業します')
    expect((await facts()).payment).not.toBe('現金だけ')

    // What the form now holds: the others' other facts, and the version that was shown.
    const fields = new Map(
      [...html.matchAll(/name="(version|notice)"[^>]*?value="([^"]*)"/g)].map(([, a, b]) => [a, b]),
    )
    const again = { notice: '十二月は休まず営業します', seats: 'カウンター6席', payment: '現金だけ' }
    const readers = { 'recipients.shop': 'ichi@example.jp', 'recipients.circle': 'ni@example.jp' }
    expect((await save({ ...again, ...readers, version: fields.get('version') ?? '' })).status).toBe(200)
    expect(await facts()).toMatchObject(again)
  })

  test('of many saves of one fact at once, one is saved and the others are told', async () => {
    const { save, facts } = await site()
    const answers = await Promise.all(['甲', '乙', '丙'].map((seats) => save({ seats })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(['甲', '乙', '丙']).toContain((await facts()).seats)
  })

  test('a version that nobody has seen overwrites nothing', async () => {
    const { save, facts } = await site()
    for (const version of ['99', '-1', '0', 'x', '']) {
      expect((await save({ version, seats: '別の席' })).status, version).toBe(409)
    }
    expect((await facts()).seats).not.toBe('別の席')
  })

  test('the history tells what was changed by whom, and each state can be put back, as a change of its own', async () => {
    const { save, as, post, facts, revisions, clock } = await site()
    clock.now += 60_000
    await save({ name: '食事処 むすび', hideEditButtonsFromVisitors: 'on' })
    const html = await (await as('administrator', '/site')).text()
    expect(html).toContain('2026年11月20日 12:01')
    expect(html).toMatch(/暖簾 結<!-- -->が<!-- -->変更しました/)
    expect(html).toMatch(/サイト<!-- -->が<!-- -->追加しました/)
    expect(html).toMatch(/<dt>店名<\/dt>.*ダイニング結<\/del>.*食事処 むすび<\/ins>/)
    expect(html).toMatch(/編集ボタンを来訪者に見せない<\/dt>.*いいえ<\/del>.*はい<\/ins>/)

    const [first, second] = await revisions()
    // The present state has no way back to itself.
    expect(html).toContain(`name="revision" value="${first?.id}"`)
    expect(html).not.toContain(`name="revision" value="${second?.id}"`)
    clock.now += 60_000
    const back = { revision: first?.id ?? '' }
    expect((await post('administrator', '/undo', back)).status).toBe(302)
    expect(await facts()).toMatchObject({ name: 'ダイニング結', hideEditButtonsFromVisitors: false })
    expect((await revisions()).map(({ action }) => action)).toEqual(['sample', 'save', 'put back'])
    expect(await (await as('administrator', '/site')).text()).toMatch(/が<!-- -->元に戻しました/)

    expect((await post('administrator', '/undo', { revision: 'none' })).status).toBe(404)
  })

  test('a long history shows twenty changes, and the older ones by a link', async () => {
    const { as, db } = await site()
    const facts = await readSite(db)
    for (let count = 1; count <= 24; count++) {
      const author = { accountId: 'demo-administrator', at: new Date(noon + count * 60_000).toISOString() }
      await saveSite(db, { version: count, facts: { ...facts, seats: `席${count}` } }, author)
    }
    const newest = await (await as('administrator', '/site')).text()
    expect(newest.match(/<time dateTime/g)).toHaveLength(20)
    expect(newest).toContain('席24')
    expect(newest).not.toContain('席3<')
    expect(newest).toContain('href="/site?changes=2"')
    const older = await (await as('administrator', '/site?changes=2')).text()
    expect(older.match(/<time dateTime/g)).toHaveLength(5)
    expect(older).toContain('席3<')
    expect((await as('administrator', '/site?changes=-1')).status).toBe(200)
  })

  test('a site that has no facts yet is filled in', async () => {
    const { db, save, facts } = await site()
    await db.deleteFrom('site').execute()
    const defaults = { ...siteFormValues(SiteFacts.parse({})), version: '0', telephone: '075-111-1111' }
    expect((await save(defaults)).status).toBe(200)
    expect((await facts()).telephone).toBe('075-111-1111')
  })
})
