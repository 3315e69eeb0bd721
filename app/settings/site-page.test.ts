import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { readForms, sectionOfSite } from '../../server/testing-forms.ts'
import type { Person } from '../../server/tools/demo.ts'
import { addAccount } from '../accounts/accounts.server.ts'
import { readSite, readSiteToEdit, saveSite } from './site.server.ts'
import { SiteSettings } from './site.ts'
import { siteFormValues } from './site-form.ts'
import { type SiteSection, siteSectionNames, siteSections } from './site-sections.ts'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const site = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const loaded = await readSiteToEdit(sample.db)
    const save = (fields: Record<string, string>, person: Person = 'administrator') =>
      sample.post(person, '/site', sectionOfSite(loaded, fields))
    const revisions = () =>
      sample.db.selectFrom('revisions').selectAll().where('subject', '=', 'site').orderBy('at').execute()
    return { ...sample, loaded, save, revisions, facts: () => readSite(sample.db) }
  }

  test('saves the settings of an administrator and renders them on every page', async () => {
    const { save, as, facts } = await site()
    const before = await facts()
    const changes = [
      { name: '  食事処 むすび ' },
      { postalCode: '６０５０００１', directions: '祇園四条から東へ\r\n\r\n 八坂の塔を北へ ' },
      { 'links.0.name': '予約', 'links.0.url': 'https://example.jp/yoyaku' },
      { 'recipients.shop': 'mise@example.jp' },
      { dishesAndCalendarByStaffOnly: 'on' },
    ] as Record<string, string>[]
    for (const fields of changes) {
      const response = await save(fields)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('保存しました')
    }
    expect(await facts()).toEqual({
      ...before,
      name: '食事処 むすび',
      postalCode: '６０５０００１',
      directions: ['祇園四条から東へ', '八坂の塔を北へ'],
      links: [{ name: '予約', url: 'https://example.jp/yoyaku' }],
      recipients: { shop: 'mise@example.jp', circle: '', portfolio: '' },
      dishesAndCalendarByStaffOnly: true,
    })
    for (const fields of changes) expect(await (await save(fields)).text()).toContain('変更はありませんでした')
    const home = await (await as('guest', '/')).text()
    expect(home).toContain('食事処 むすび')
    expect(home).toContain('https://example.jp/yoyaku')
    expect(home).not.toContain('ダイニング結')
    expect(home).not.toContain('mise@example.jp')
    expect((await as('administrator', '/site')).headers.get('cache-control')).toContain('no-store')
  })

  onSqlite('renders every page in the chosen palette', async () => {
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
    // The history shows the Japanese name of the palette.
    expect(form).toMatch(/<dt>色<\/dt>.*朱<\/del>.*藍<\/ins>/)
  })

  onSqlite('sends the e-mail addresses of the recipients only to administrators', async () => {
    const { save, as } = await site()
    await save({ 'recipients.circle': 'himitsu@example.jp' })
    for (const person of ['guest', 'signedIn', 'applicant', 'approved', 'administrator'] as const) {
      for (const path of ['/site', '/site.data', '/', '/_.data', '/mail', '/inbox', '/bin']) {
        const isContained = (await (await as(person, path)).text()).includes('himitsu@example.jp')
        expect(isContained, `${person} ${path}`).toBe(person === 'administrator' && path.startsWith('/site'))
      }
    }
  })

  onSqlite.each([
    ['店名を入力してください', { name: '　' }],
    ['店名は40文字までです', { name: '長'.repeat(41) }],
    ['印の文字は2文字までです', { seal: '結結結' }],
    ['お店の紹介は500文字までです', { description: '長'.repeat(501) }],
    ['郵便番号は20文字までです', { postalCode: '6'.repeat(21) }],
    ['住所は200文字までです', { address: '長'.repeat(201) }],
    ['電話番号は40文字までです', { telephone: '0'.repeat(41) }],
    ['地図で検索する言葉は200文字までです', { mapQuery: '長'.repeat(201) }],
    ['地図上の位置（緯度, 経度）は60文字までです', { mapPosition: '1'.repeat(61) }],
    ['緯度、経度の順に数字で入力してください', { mapPosition: '八坂の塔' }],
    ['緯度、経度の順に数字で入力してください', { mapPosition: '34.98765' }],
    ['緯度、経度の順に数字で入力してください', { mapPosition: '135.12345, 34.98765' }],
    ['緯度、経度の順に数字で入力してください', { mapPosition: '34.98765, 180.00001' }],
    ['緯度、経度の順に数字で入力してください', { mapPosition: '34.98765, 135.12345, 1' }],
    ['緯度、経度の順に数字で入力してください', { mapPosition: '1e1, 0x10' }],
    ['写真を選び直してください', { wayPicture: 'javascript:alert(1)' }],
    ['地図の写真の説明は200文字までです', { wayPictureAlt: '長'.repeat(201) }],
    ['駐車場は500文字までです', { parking: '長'.repeat(501) }],
    ['営業時間の説明は500文字までです', { hoursInWords: '長'.repeat(501) }],
    ['1つめの時間帯の名前は20文字までです', { firstSlot: '長'.repeat(21) }],
    ['2つめの時間帯の名前は20文字までです', { secondSlot: '長'.repeat(21) }],
    ['料理の種類は60文字までです', { cuisine: '長'.repeat(61) }],
    ['お席は500文字までです', { seats: '長'.repeat(501) }],
    ['ご予算は60文字までです', { priceRange: '長'.repeat(61) }],
    ['お支払いは500文字までです', { payment: '長'.repeat(501) }],
    ['色をお選びください', { palette: 'aka' }],
    ['色をお選びください', { palette: '' }],
    ['色をお選びください', { palette: 'toString' }],
    ['道順は12行までです', { directions: '道\n'.repeat(13) }],
    ['リンクは https:// で始まるアドレス', { 'links.0.name': '予約', 'links.0.url': 'javascript:alert(1)' }],
    ['リンクの名前を入力してください', { 'links.1.url': 'https://example.jp' }],
    ['リンクのアドレスを入力してください', { 'links.0.name': '予約' }],
    ['宛先の名前を入力してください', { 'recipientNames.shop': ' ' }],
    ['宛先の名前は30文字までです', { 'recipientNames.circle': '長'.repeat(31) }],
    ['有効なメールアドレスではありません', { 'recipients.shop': 'mise' }],
    ['有効なメールアドレスではありません', { 'recipients.shop': 'a@example.jp, b@example.jp' }],
  ] as [string, Record<string, string>][])(
    'rejects the whole section with the field error 「%s」',
    async (sentence, wrong) => {
      const { save, loaded, facts, revisions } = await site()
      // If the section has another field, that field is valid.
      const section = sectionOfSite(loaded, wrong).section as SiteSection
      const [name, value] = Object.entries(otherValues[section]).find(([name]) => !(name in wrong)) ?? []
      const response = await save({ ...wrong, ...(name && { [name]: value ?? '' }) })
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(sentence)
      expect(await facts()).toEqual(loaded.facts)
      expect(await revisions()).toHaveLength(1)
    },
  )

  onSqlite.each(siteSectionNames)('saves only the fields of section %s', async (section) => {
    const { loaded, facts, post } = await site()
    const all = Object.assign({}, ...Object.values(otherValues))
    const response = await post('administrator', '/site', { ...all, section, version: String(loaded.version) })
    expect(response.status).toBe(200)
    const now = await facts()
    for (const each of siteSectionNames)
      expect(siteFormValues(each, now), each).toEqual(
        each === section ? otherValues[each] : siteFormValues(each, loaded.facts),
      )
    expect(now.setupListHidden).toBe(false)

    // The response to an invalid form must not contain submitted values of other sections.
    const wrong = {
      ...all,
      section,
      version: String(loaded.version),
      [Object.keys(otherValues[section])[0] ?? '']: '音'.repeat(501),
    }
    const rejected = await post('administrator', '/site', wrong)
    // A section of checkboxes has no invalid values, so the save succeeds.
    expect(rejected.status).toBe(['editing', 'languages'].includes(section) ? 200 : 400)
    const html = await rejected.text()
    for (const each of siteSectionNames.filter((name) => name !== section))
      expect(submittedFields(html, each), each).toMatchObject(withoutBlanks(siteFormValues(each, loaded.facts)))
    const data = await (await post('administrator', '/site.data', wrong)).text()
    const otherSectionValues = siteSectionNames.flatMap((each) =>
      each === section ? [] : Object.values(otherValues[each]),
    )
    expect(otherSectionValues.filter((value) => value.length > 3 && data.includes(value))).toEqual([])
  })

  onSqlite('rejects an unknown or missing section', async () => {
    const { loaded, facts, post } = await site()
    const { section: _, ...fields } = sectionOfSite(loaded, { description: '本日は貸切です' })
    for (const section of ['', 'none', 'toString', '__proto__', 'words,place']) {
      const response = await post('administrator', '/site.data', { ...fields, section })
      expect(response.status, section).toBe(400)
      expect(await response.text()).toContain('再読み込みしてから、もう一度お試しください')
    }
    expect((await post('administrator', '/site', fields)).status).toBe(400)
    expect(await facts()).toEqual(loaded.facts)
  })

  onSqlite.each(siteSectionNames)('lets only administrators save section %s', async (section) => {
    const { post, loaded, facts, revisions } = await site()
    const sent = { section, version: String(loaded.version), ...otherValues[section] }
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const) {
      expect((await post(person, '/site', sent)).status, person).toBe(person === 'guest' ? 401 : 403)
      expect(await facts()).toEqual(loaded.facts)
    }
    expect(await revisions()).toHaveLength(1)
  })

  onSqlite('shows the response to a save in the saved section', async () => {
    const { as, save } = await site()
    const html = await (await as('administrator', '/site')).text()
    for (const section of siteSectionNames) {
      expect(html).toContain(`<a href="#${section}">${siteSections[section]}</a>`)
      expect(sectionHtml(html, section)).toMatch(new RegExp(`<form[^>]* action="/site#${section}"`))
      expect(sectionHtml(html, section)).toContain(`${siteSections[section]}を保存する</button>`)
    }
    const sectionsWith = async (fields: Record<string, string>, sentence: string) => {
      const html = await (await save(fields)).text()
      return siteSectionNames.filter((section) => sectionHtml(html, section).includes(sentence))
    }
    expect(await sectionsWith({ description: '本日は貸切です' }, '保存しました。')).toEqual(['words'])
    expect(await sectionsWith({ description: '明日は貸切です' }, 'ほかの方が先に')).toEqual(['words'])
    expect(await sectionsWith({ seal: '結結結' }, '印の文字は2文字までです')).toEqual(['sign'])
    expect(await sectionsWith({ seal: '結結結' }, '入力内容をご確認ください')).toEqual(['sign'])
  })

  onSqlite('describes the field of the introduction by its maximum length', async () => {
    const html = (await (await (await site()).as('administrator', '/site')).text()).replaceAll('<!-- -->', '')
    const [, id] = /<textarea[^>]* aria-describedby="([^"]+)"[^>]* name="description"/.exec(html) ?? []
    expect(html).toMatch(new RegExp(`<span[^>]* id="${id}">[^<]*500文字まで`))
  })

  test('describes the field of the introduction by its maximum length', async () => {
    const html = (await (await (await site()).as('administrator', '/site')).text()).replaceAll('<!-- -->', '')
    const [, id] = /<textarea[^>]* aria-describedby="([^"]+)"[^>]* name="description"/.exec(html) ?? []
    expect(html).toMatch(new RegExp(`<span[^>]* id="${id}">[^<]*500文字まで`))
  })

  test('shows administrators the recipients of the contact messages', async () => {
    const { as, post, people, db } = await sampleSite(await fresh(), {}, { verifies: true })
    await people()
    const loaded = await readSiteToEdit(db)
    const siteHtml = async () => (await (await as('administrator', '/site')).text()).replaceAll('<!-- -->', '')
    expect(await siteHtml()).toContain('お問い合わせを受け取る方がまだ決まっていません')
    const noren = { id: 'demo-administrator', name: '暖簾 結', email: 'noren@example.jp', hash: 'none' }
    await addAccount(db, noren, '2026-11-20T00:00:00.000Z')
    expect(await siteHtml()).toContain('お問い合わせを受け取る方がまだ決まっていません')
    await db.updateTable('accounts').set({ emailVerified: true }).execute()
    expect(await siteHtml()).toContain('1つめの宛先のメールアドレスが空欄のあいだは、noren@example.jp に届きます')
    const withRecipient = sectionOfSite(loaded, { 'recipients.shop': 'mise@example.jp' })
    expect((await post('administrator', '/site', withRecipient)).status).toBe(200)
    expect(await siteHtml()).not.toContain('が空欄のあいだは')
    for (const person of ['guest', 'approved'] as const)
      expect(await (await as(person, '/site')).text()).not.toContain('noren@example.jp')
  })

  test('merges the saves of two editors when they change different settings', async () => {
    const { save, facts } = await site()
    const saves = [
      { description: '十二月は休まず営業します' },
      { seats: 'カウンター10席' },
      { payment: '現金だけ' },
      { 'recipients.shop': 'ichi@example.jp' },
      { 'recipients.circle': 'ni@example.jp' },
      { showEditButtonsToVisitors: 'on' },
    ] as Record<string, string>[]
    for (const fields of saves) {
      const response = await save(fields)
      expect(response.status).toBe(200)
      expect(await response.text()).not.toContain('現在の内容')
    }
    expect(await facts()).toMatchObject({
      description: '十二月は休まず営業します',
      seats: 'カウンター10席',
      payment: '現金だけ',
      recipients: { shop: 'ichi@example.jp', circle: 'ni@example.jp', portfolio: '' },
      showEditButtonsToVisitors: true,
    })
  })

  onSqlite('shows both values to the second editor when two saves change the same setting', async () => {
    const { save, facts, post } = await site()
    await save({ seats: 'カウンター10席' })
    await save({ cuisine: '鮨' })
    const conflict = await save({ seats: 'カウンター6席', payment: '現金だけ' })
    expect(conflict.status).toBe(409)
    const html = await conflict.text()
    expect(sectionHtml(html, 'guide')).toMatch(/現在の内容<\/b><span>カウンター10席/)
    const shown = submittedFields(html, 'guide')
    expect(shown).toMatchObject({ seats: 'カウンター6席', payment: '現金だけ', cuisine: '鮨' })
    expect((await facts()).payment).not.toBe('現金だけ')
    // The response contains the current version, so the next save succeeds.
    expect((await post('administrator', '/site', shown)).status).toBe(200)
    expect(await facts()).toMatchObject({ seats: 'カウンター6席', payment: '現金だけ', cuisine: '鮨' })
  })

  test('accepts one of several concurrent saves of the same setting', async () => {
    const { save, facts } = await site()
    const responses = await Promise.all(['甲', '乙', '丙'].map((seats) => save({ seats })))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(['甲', '乙', '丙']).toContain((await facts()).seats)
  })

  onSqlite('rejects a save with an unknown version', async () => {
    const { save, facts } = await site()
    for (const version of ['99', '-1', '0', 'x', '']) {
      expect((await save({ version, seats: '別の席' })).status, version).toBe(409)
    }
    expect((await facts()).seats).not.toBe('別の席')
    const html = await (await save({ version: '99', showEditButtonsToVisitors: 'on' })).text()
    expect(sectionHtml(html, 'editing')).toMatch(/現在の内容<\/b><span>いいえ/)
    expect((await facts()).showEditButtonsToVisitors).toBe(false)
  })

  test('shows the author of each change and reverts to an earlier state', async () => {
    const { save, as, post, facts, revisions, clock } = await site()
    clock.now += 60_000
    await save({ name: '食事処 むすび' })
    clock.now += 60_000
    await save({ showEditButtonsToVisitors: 'on' })
    const html = await (await as('administrator', '/site')).text()
    expect(html).toContain('2026年11月20日 12:01')
    expect(html).toMatch(/暖簾 結 さんが変更しました/)
    expect(html).toMatch(/サイトが追加しました/)
    expect(html).toMatch(/<dt>店名<\/dt>.*ダイニング結<\/del>.*食事処 むすび<\/ins>/)
    expect(html).toMatch(/編集ボタンをお客さまにも表示する<\/dt>.*いいえ<\/del>.*はい<\/ins>/)

    const [first, second, third] = await revisions()
    // The current revision has no revert button.
    for (const revision of [first, second]) expect(html).toContain(`name="revision" value="${revision?.id}"`)
    expect(html).not.toContain(`name="revision" value="${third?.id}"`)
    clock.now += 60_000
    const revert = { revision: first?.id ?? '' }
    expect((await post('administrator', '/undo', revert)).status).toBe(200)
    expect(await facts()).toMatchObject({ name: 'ダイニング結', showEditButtonsToVisitors: false })
    expect((await revisions()).map(({ action }) => action)).toEqual(['sample', 'save', 'save', 'put back'])
    expect(await (await as('administrator', '/site')).text()).toMatch(/が元に戻しました/)

    expect((await post('administrator', '/undo', { revision: 'none' })).status).toBe(404)
  })

  test('shows twenty changes on each page of the history', async () => {
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

  test('saves the first settings of a site', async () => {
    const { db, save, facts } = await site()
    await db.deleteFrom('site').execute()
    const empty = siteFormValues('place', SiteSettings.parse({}))
    expect((await save({ ...empty, version: '0', telephone: '075-111-1111' })).status).toBe(200)
    expect(await facts()).toEqual(SiteSettings.parse({ telephone: '075-111-1111' }))
    // Another editor loaded the form before the first save.
    expect((await save({ ...empty, version: '0', parking: '二台' })).status).toBe(200)
    expect(await facts()).toEqual(SiteSettings.parse({ telephone: '075-111-1111', parking: '二台' }))
  })
})

/** Form values of each section, all different from the sample content. */
const otherValues: Record<SiteSection, Record<string, string>> = {
  sign: { name: '食事処 むすび', seal: 'む', palette: 'ai' },
  words: { description: '新しい紹介' },
  place: {
    ...{ postalCode: '606-0001', address: '左京区', telephone: '075-111-1111', mapQuery: '銀閣寺' },
    mapPosition: '35.02704, 135.79823',
    ...{ wayPicture: '', wayPictureAlt: '地図', directions: '東へ\n北へ', parking: '二台' },
  },
  guide: {
    ...{ hoursInWords: '夜だけ', firstSlot: '夕', secondSlot: '夜', cuisine: '鮨', seats: '六席' },
    ...{ priceRange: '四千円から', payment: '現金' },
    ...{ 'links.0.name': '予約', 'links.0.url': 'https://example.jp/' },
  },
  mail: {
    ...{ 'recipientNames.shop': '店', 'recipientNames.circle': '会', 'recipientNames.portfolio': '仕事' },
    ...{ 'recipients.shop': 'a@example.jp', 'recipients.circle': 'b@example.jp', 'recipients.portfolio': '' },
  },
  tables: {
    ...{ tableGuestsPerHalfHour: '4', takesTableRequests: 'on', tableGuestsPerDay: '20', tableMaxParty: '5' },
    ...{ tableDaysAhead: '30', tableHoursBefore: '2', tableMinutesToClosing: '90' },
    ...{ tableDaysWithout: '月曜日\n2027-01-01', tableRetentionDays: '60' },
  },
  languages: { otherLanguages: 'on' },
  editing: { dishesAndCalendarByStaffOnly: 'on', showEditButtonsToVisitors: 'on' },
}

function withoutBlanks(values: Record<string, string>) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}

/** Returns the HTML of one section of the page. */
function sectionHtml(html: string, section: SiteSection) {
  return new RegExp(`<section id="${section}".*?</section>`, 's').exec(html)?.[0] ?? ''
}

/** Returns the fields that a browser submits for one section of the page. */
function submittedFields(html: string, section: SiteSection) {
  const [form] = readForms(sectionHtml(html, section))
  return Object.fromEntries(form?.fields ?? [])
}
