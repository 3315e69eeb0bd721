import { expect, test } from 'vitest'
import { noHourFields } from '../app/hours/hour-fields.ts'
import { memberFieldNames } from '../app/members/member.ts'
import { readSiteToEdit } from '../app/settings/site.server.ts'
import { onEachEngine } from '../db/testing.ts'
import { browserOf, jsonCall, sampleSite } from './testing.ts'
import { decodeHtml, sectionOfSite } from './testing-forms.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

const call = async (site: Site, path: string, body: object) => {
  const response = await site.as('administrator', path, jsonCall(body))
  return response.json() as Promise<{ error?: string; id?: string; [name: string]: unknown }>
}
const jsonNames = memberFieldNames.map((name) => (name === 'telNum' ? 'tel_num' : name))
const filledFields = Object.fromEntries(jsonNames.map((name) => [name, '話']))
const site = async () => {
  const sampleShop = await sampleSite()
  await sampleShop.people()
  return sampleShop
}
/** Pairs each typed string with the string that is stored. */
const pairs = (unchanged: string[], changed: [string, string][] = []) =>
  [...unchanged.map((typed) => [typed, typed] as const), ...changed].map(([typed, stored]) => ({ typed, stored }))

const names = pairs(
  [
    '山田 花子',
    '山田　花子',
    '髙橋 﨑太郎',
    '𠮷野家',
    '渡邉',
    '渡邊',
    '辻󠄀',
    '葛󠄀城 一郎',
    '齋藤',
    '𩸽',
    '彅',
    '鷗外',
    '德川',
    '神\ufa19',
    '福\ufa1b',
    '\ufa10田',
    '\ufa15',
    '羽\ufa1e',
    '佐々木',
    '一二三',
    'つのだ☆ひろ',
    '藤岡弘、',
    'モーニング娘。',
    "O'Brien",
    'O’Brien',
    'José García',
    'Nguyễn Văn A',
    'Łukasz Żółć',
    'François',
    'Müller',
    'Søren',
    'Jean-Luc',
    'Dr. Strange',
    '김철수',
    '王小明',
    'สมชาย',
    'محمد علي',
    'משה כהן',
    'Владимир',
    'नरेन्द्र',
    'क्ष',
    'می‌خواهم',
    'Ｋｅｎ',
    'ﾊﾅｺ',
    'ｱﾝﾄﾞｳ',
    '👨‍👩‍👧',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿 Bob',
    '1️⃣番',
    '❤️花',
    '👍🏽',
    '🇯🇵 太郎',
    '<b>花子</b>',
    '花子 & 太郎',
    '"花"',
    '100% 花',
    'null',
    '__proto__',
  ],
  [
    [' 花子 ', '花子'],
    ['　花子　', '花子'],
    ['\u200b花子\ufeff', '花子'],
    ['花\u200b子', '花子'],
    ['花\u00ad子', '花子'],
    ['山田\t花子', '山田 花子'],
    ['山田\u00a0花子', '山田 花子'],
    ['山田\r\n花子', '山田 花子'],
    ['山田\u2028花子', '山田 花子'],
    ['山田\v花子', '山田 花子'],
    ['\u202e花子\u202c', '花子'],
    ['\u2068花子\u2069', '花子'],
    ['か\u3099きこ', 'がきこ'],
    ['Jose\u0301', 'José'],
    ['花子\0', '花子'],
    ['花\u2060子\u200d', '花子'],
    ['花子\ud800', '花子\ufffd'],
  ],
)

const addresses = pairs(
  [
    '京都市東山区祇園町南側570-8',
    '京都市東山区結び小路　上る',
    '京都府京都市中京区御池通寺町東入',
    '奈良県葛󠄀城市長尾85',
    '葛城市',
    '東京都千代田区霞が関1-2-3',
    '東京都千代田区霞ケ関１−２−３',
    '東京都千代田区丸の内１丁目９番２号',
    '北海道札幌市中央区北1条西2',
    '渋谷区道玄坂2-1 渋谷ビル3F',
    '大阪市北区梅田１丁目１番３−１号',
    '福岡県糟屋郡新宮町',
    '茨城県龍ケ崎市',
    '千葉県鎌ケ谷市',
    '兵庫県芦屋市六麓荘町',
    '塚口町（塚\ufa10）',
    '宮城県塩竈市',
    '鹽竈神社前',
    '祇\ufa4e園町',
    '辻󠄀子',
    '﨑山町1',
    '富山県射水市戸破',
    '岩手県一関市厳美町',
    '石川県珠洲市三崎町寺家',
    '京都市上京区今出川通烏丸東入玄武町601',
    '1-2-3 Ginza, Chuo-ku',
    '221B Baker Street',
    '5 Av. Anatole France, 75007 Paris',
    'Straße des 17. Juni 135',
    'Żelazna 1/2, Warszawa',
    '서울시 종로구 1',
    '台北市信義區信義路五段7號',
    '1600 Pennsylvania Ave NW',
    '沖縄県那覇市おもろまち4-19-30',
    '長崎県五島市三尾野１−７−１',
    '高知県高岡郡四万十町',
    '三重県津市',
    '島根県隠岐郡海士町大字海士1490',
    '字下り松１番地',
    '京都市（八坂の塔の北）',
    'コーポ・ラ・メール 101号室',
    'ハイツ「桜」Ｂ棟',
    'メゾン＃２',
    '1階',
    'B1F',
    '地下1階',
    '京都駅から徒歩5分',
    '祇園四条駅６番出口',
    '青山〜表参道',
    '町家カフェ・2軒目',
    '<京都>',
    '京都 & 大阪',
  ],
  [
    ['京都市\t東山区', '京都市 東山区'],
    ['京都市\r\n東山区', '京都市 東山区'],
    ['京都市\u2028東山区', '京都市 東山区'],
    ['京都市\f東山区', '京都市 東山区'],
    ['  京都市東山区 ', '京都市東山区'],
    ['\u200b京都市東山区', '京都市東山区'],
    ['京都市\u200b東山区', '京都市東山区'],
    ['\u202d東山区 京都市\u202c', '東山区 京都市'],
    ['京都市\u00a0東山区', '京都市 東山区'],
    ['\ufeff京都市', '京都市'],
    ['京都市東山区\u3164', '京都市東山区'],
    ['岐阜県（き\u3099ふ）', '岐阜県（ぎふ）'],
  ],
)

const NO_LINK = 'リンクは https:// などで始まるアドレスか、このサイトのページを入力してください'
const suggestion = (url: string) => `アドレスは https:// から入力してください。「${url}」ではありませんか。`
const links = pairs(
  [
    'https://example.jp',
    'https://example.jp/',
    'http://example.jp/a?b=c&d=e#f',
    'https://example.jp:8443/a',
    'https://例え.jp/',
    'https://xn--r8jz45g.jp/',
    'https://ja.wikipedia.org/wiki/京都市',
    'https://ja.wikipedia.org/wiki/Ｑ＆Ａ',
    'https://ja.wikipedia.org/wiki/%E4%BA%AC%E9%83%BD',
    'https://example.jp/~hanako/',
    'https://www.instagram.com/kumi_kyoto/?igsh=MWQ1ZGUxMzBkMA==',
    'https://maps.app.goo.gl/AbCdEf123',
    'https://goo.gl/maps/x',
    'https://lin.ee/abc',
    'https://line.me/R/ti/p/%40abc',
    'https://www.google.com/maps/place/35%C2%B000\'12.3"N',
    'https://tabelog.com/kyoto/A2601/A260301/26000000/',
    'https://r.gnavi.co.jp/k000000/',
    'https://note.com/kumi',
    'https://x.com/kumi',
    'https://youtu.be/dQw4w9WgXcQ',
    'https://example.jp/a_(b)',
    "https://example.jp/it's",
    'https://example.jp/a,b;c',
    'https://example.jp/?q=100%',
    'https://user@example.jp/',
    'HTTPS://EXAMPLE.JP/',
    'mailto:hanako@example.jp',
    'mailto:hanako@example.jp?subject=%E4%BA%88%E7%B4%84',
    'tel:075-000-0000',
    'tel:+81750000000',
    '/dining',
    '/access#map',
    '#hours',
    '/calendar?day=2026-11-26',
    'https://example.jp/👨‍👩‍👧',
    'https://example.jp/葛󠄀城',
    'https://192.0.2.1/',
    'https://[2001:db8::1]/',
    'https://example.jp/é',
  ],
  [
    ['https://example.jp/\u200b', 'https://example.jp/'],
    ['\u200bhttps://example.jp/', 'https://example.jp/'],
    ['\ufeffhttps://example.jp/', 'https://example.jp/'],
    ['https://exam\u00adple.jp/', 'https://example.jp/'],
    ['https://example.jp/a\u2060b', 'https://example.jp/ab'],
    ['\u202ahttps://example.jp/\u202c', 'https://example.jp/'],
    ['\u2066https://example.jp/\u2069', 'https://example.jp/'],
    [' https://example.jp/ ', 'https://example.jp/'],
    ['　https://example.jp/　', 'https://example.jp/'],
    ['https://example.jp/\r\n', 'https://example.jp/'],
    ['\thttps://example.jp/', 'https://example.jp/'],
    ['https://example.jp/\u00a0', 'https://example.jp/'],
    ['ｈｔｔｐｓ：／／ｅｘａｍｐｌｅ．ｊｐ／', 'https://example.jp/'],
    ['https：//example.jp/', 'https://example.jp/'],
    ['／dining', '/dining'],
    ['https://example.jp/か\u3099', 'https://example.jp/が'],
    ['https://example.jp/\0', 'https://example.jp/'],
    // The form rejects these links with a sentence.
    ['example.jp', suggestion('https://example.jp')],
    ['www.example.jp/menu\u200b', suggestion('https://www.example.jp/menu')],
    ['https://example.jp/a b', NO_LINK],
    ['https://example.jp/\nhttps://example.com/', NO_LINK],
    ['java\u200bscript:alert(1)', NO_LINK],
    ['java\tscript:alert(1)', NO_LINK],
    ['ｊａｖａｓｃｒｉｐｔ：alert(1)', NO_LINK],
    ['data:text/html,x', NO_LINK],
    ['//example.jp/', NO_LINK],
    ['／／example.jp/', NO_LINK],
    ['お店のサイト', NO_LINK],
  ],
)

const NO_YEN = '価格は円の数字で入力してください'
const NO_ORDER = '並び順は数字で入力してください'
const NO_CAPACITY = '定員は1から999までの数字で入力してください'
const numbersByField: Record<'price' | 'order' | 'capacity', [typed: unknown, stored: unknown][]> = {
  price: [
    ['0', 0],
    ['1200', 1200],
    ['1,200', 1200],
    ['1200円', 1200],
    ['1,200円', 1200],
    ['1,200 円', 1200],
    ['¥1200', 1200],
    ['¥1,200', 1200],
    ['¥ 1,200', 1200],
    ['￥1,200', 1200],
    ['\\1,200', 1200],
    ['１２００', 1200],
    ['１，２００円', 1200],
    ['￥１，２００', 1200],
    ['¥1,200-', 1200],
    ['￥１，２００－', 1200],
    ['1200ー', 1200],
    [' 1200 ', 1200],
    ['　１２００　', 1200],
    ['1200\u200b', 1200],
    ['\u202d1,200\u202c', 1200],
    ['\ufeff1200', 1200],
    ['12\u00ad00', 1200],
    ['1200\t', 1200],
    ['1,200\u00a0円', 1200],
    ['1000000', 1_000_000],
    [1200, 1200],
    ['', null],
    ['　', null],
    ['\u200b', null],
    [null, null],
    ['千二百円', NO_YEN],
    ['1,20', NO_YEN],
    ['1.5', NO_YEN],
    ['小 800、大 1200', 800],
    ['時価', null],
    ['1200〜1500', NO_YEN],
    ['$12', NO_YEN],
    ['1 200', NO_YEN],
    ['−100', '価格は0円以上で入力してください'],
    ['1000001', '価格は100万円までです'],
  ],
  order: [
    ['3', 3],
    ['３', 3],
    ['1.5', 1.5],
    ['１．５', 1.5],
    ['-1', -1],
    ['−1', -1],
    ['－１', -1],
    ['ー1', -1],
    [' 3\u200b', 3],
    ['3\r\n', 3],
    ['', null],
    ['三', NO_ORDER],
    ['1番', NO_ORDER],
    ['Infinity', NO_ORDER],
  ],
  capacity: [
    ['12', 12],
    ['１２', 12],
    ['　１２', 12],
    ['12\u200b', 12],
    [12, 12],
    ['', null],
    [null, null],
    ['0', NO_CAPACITY],
    ['1000', NO_CAPACITY],
    ['1.5', NO_CAPACITY],
    ['十二', NO_CAPACITY],
    ['12名', NO_CAPACITY],
  ],
}
const numbers = Object.entries(numbersByField).flatMap(([field, list]) => list.map((each) => [field, ...each]))

const NO_MAIL = '有効なメールアドレスではありません'
const normalEmail = 'hanako@example.jp'
const mails = pairs(
  [
    'hanako@example.jp',
    'Hanako@Example.jp',
    'hanako.yamada@example.co.jp',
    'hanako+shop@gmail.com',
    'h@a.jp',
    'a-b_c@sub.example.jp',
    '.hanako.@docomo.ne.jp',
    'hanako..yamada@ezweb.ne.jp',
    'x.y-z/w@docomo.ne.jp',
    '1234567890@softbank.ne.jp',
    'hanako@i.softbank.jp',
    'hanako@xn--r8jz45g.jp',
    "o'brien@example.ie",
    'a!b@example.jp',
    'hanako@example.museum',
    'hanako@my-shop.kyoto',
    'HANAKO@EXAMPLE.JP',
    'hanako=a@example.jp',
    '#1@example.jp',
    'hanako@123.jp',
    'info@dining-musubi.example',
    'hanako%a@example.jp',
    '~h@example.jp',
    'a&b@example.jp',
    'h?@example.jp',
    '{h}@example.jp',
  ],
  [
    [' hanako@example.jp', normalEmail],
    ['hanako@example.jp ', normalEmail],
    ['　hanako@example.jp　', normalEmail],
    ['hanako@example.jp\r\n', normalEmail],
    ['\thanako@example.jp', normalEmail],
    ['hanako@example.jp\u00a0', normalEmail],
    ['hanako@example.jp\u200b', normalEmail],
    ['\ufeffhanako@example.jp', normalEmail],
    ['hana\u00adko@example.jp', normalEmail],
    ['hanako\u2060@example.jp', normalEmail],
    ['\u202ahanako@example.jp\u202c', normalEmail],
    ['\u2068hanako@example.jp\u2069', normalEmail],
    ['hanako@example.jp\u200e', normalEmail],
    ['hanako@example.jp\0', normalEmail],
    ['hanako＠example.jp', normalEmail],
    ['ｈａｎａｋｏ＠ｅｘａｍｐｌｅ．ｊｐ', normalEmail],
    ['ｈａｎａｋｏ@example.jp', normalEmail],
    ['hanako@example。jp', normalEmail],
    ['hanako@example｡jp', normalEmail],
    ['hanako＿y@example.jp', 'hanako_y@example.jp'],
    ['hanako@my－shop.jp', 'hanako@my-shop.jp'],
    ['hanako@myーshop.jp', 'hanako@my-shop.jp'],
    ['hanako@my‐shop.jp', 'hanako@my-shop.jp'],
    ['hanako@my−shop.jp', 'hanako@my-shop.jp'],
    ['hanako２@example.jp', 'hanako2@example.jp'],
    // The form rejects these e-mail addresses.
    ['hanako', NO_MAIL],
    ['hanako@', NO_MAIL],
    ['@example.jp', NO_MAIL],
    ['hanako@example', NO_MAIL],
    ['hana ko@example.jp', NO_MAIL],
    ['花子@example.jp', NO_MAIL],
    ['hanako@例え.jp', NO_MAIL],
    ['山田花子 <hanako@example.jp>', NO_MAIL],
    ['hanako@example.jp, taro@example.jp', NO_MAIL],
    ['hanako@example.jp;', NO_MAIL],
    ['mailto:hanako@example.jp', NO_MAIL],
    ['hanako@example.jp\r\nBcc: taro@example.jp', NO_MAIL],
    ['а@example.jp', NO_MAIL],
    ['hanako@[127.0.0.1]', NO_MAIL],
    ['hanako@example..jp', NO_MAIL],
  ],
)

test.each([
  ['names', names],
  ['addresses', addresses],
  ['links', links],
  ['numbers', numbers],
  ['e-mail addresses', mails],
])('contains at least sixty different %s', (_, list) => {
  expect(new Set(list.map((each) => JSON.stringify(each))).size).toBe(list.length)
  expect(list.length).toBeGreaterThanOrEqual(60)
})

test('stores the names of members without invisible characters', async () => {
  const sampleShop = await site()
  const results = []
  for (const [index, { typed }] of names.entries()) {
    const own = { accountname: `名${index}`, email: `m${index}@example.jp` }
    const added = await call(sampleShop, '/api/collections/members', { ...filledFields, ...own, username: typed })
    results.push({ typed, stored: added.error ?? added.username })
  }
  expect(results).toEqual(names)
})

test('stores the names of new accounts without invisible characters', async () => {
  const sampleShop = await site()
  const results = []
  for (const [index, { typed }] of names.entries()) {
    sampleShop.clock.now += 3_600_000
    const email = `s${index}@example.jp`
    await browserOf(sampleShop).post('/signupform', { name: typed, email, password: 'long-enough-7-secret' })
    const account = sampleShop.db.selectFrom('accounts').select('name').where('email', '=', email)
    results.push({ typed, stored: (await account.executeTakeFirst())?.name })
  }
  // Forms are sent as UTF-8, which has no lone surrogates.
  expect(results).toEqual(names)
})

test('stores and shows the postal address of the shop on one line', async () => {
  const sampleShop = await site()
  const results = []
  for (const { typed } of addresses) {
    const fields = sectionOfSite(await readSiteToEdit(sampleShop.db), { address: typed })
    sampleShop.clock.now += 60_000
    const response = await sampleShop.post('administrator', '/site', fields)
    expect([typed, response.status]).toEqual([typed, 200])
    const { address } = (await readSiteToEdit(sampleShop.db)).facts
    expect(decodeHtml(await sampleShop.text('/access'))).toContain(address)
    results.push({ typed, stored: address })
  }
  expect(results).toEqual(addresses)
})

test('normalises the links of cards, and rejects unsafe links', async () => {
  const sampleShop = await site()
  const results = []
  for (const { typed } of links) {
    const card = { title: '題', content: '中身', linkUrl: typed }
    const { linkUrl, error } = await call(sampleShop, '/api/collections/vbacreate', card)
    results.push({ typed, stored: linkUrl ?? error })
  }
  expect(results).toEqual(links)
})

test('parses numbers with units, separators and full-width digits', async () => {
  const sampleShop = await site()
  const results = []
  for (const [field, typed] of numbers) {
    const event = { title: '会', date: '2026-11-26', attendance: true }
    const [name, rest] = field === 'capacity' ? ['events', event] : ['dining', { title: '品' }]
    const answer = await call(sampleShop, `/api/collections/${name}`, { ...rest, [`${field}`]: typed })
    results.push([field, typed, answer.error ?? answer[`${field}`]])
  }
  expect(results).toEqual(numbers)
})

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  onSqlite('normalises the reply address of a message', async () => {
    const sampleShop = await sampleSite(await fresh())
    const results = []
    for (const { typed } of mails) {
      sampleShop.clock.now += 3_600_000
      const { error } = await call(sampleShop, '/api/mail', { to: 'shop', subject: '題', text: '本文', from: typed })
      const newest = sampleShop.db.selectFrom('messages').select('replyTo').orderBy('createdAt', 'desc').limit(1)
      results.push({ typed, stored: error ?? (await newest.executeTakeFirst())?.replyTo })
    }
    expect(results).toEqual(mails)
  })

  test('signs in to the same account with every spelling of its e-mail address', async () => {
    const sampleShop = await sampleSite(await fresh())
    const account = { name: '花子', email: normalEmail, password: ' Pass\u200bword　７-secret ' }
    await browserOf(sampleShop).post('/signupform', account)
    const spellings = mails.filter(({ stored }) => stored.toLowerCase() === normalEmail)
    expect(spellings.length).toBeGreaterThan(15)
    for (const { typed } of spellings) {
      sampleShop.clock.now += 3_600_000
      const response = await browserOf(sampleShop).post('/emaillogin', { ...account, email: typed })
      expect([typed, response.status]).toEqual([typed, 302])
    }
    const other = await browserOf(sampleShop).post('/emaillogin', { ...account, password: 'Password 7-secret' })
    expect(other.status).toBe(401)
    expect(await sampleShop.db.selectFrom('accounts').select('email').execute()).toEqual([{ email: normalEmail }])
  })

  onSqlite('replaces tabs, vertical tabs and Unicode line breaks in every form and JSON call', async () => {
    const sampleShop = await sampleSite(await fresh())
    await sampleShop.people()
    const untidy = '一\t二\v三\u2028四\0五\u200b六\u202e七'
    const [text, line] = ['一 二\n三\n四五六七', '一 二 三 四五六七']
    const card = await call(sampleShop, '/api/collections/vbacreate', {
      title: untidy,
      content: untidy,
      imageAlt: untidy,
    })
    expect(card).toMatchObject({ title: line, content: text, imageAlt: line })
    const video = { title: '題', content: '中身', youtubeUrl: 'https://youtu.be/dQw4w9WgXcQ\u200b' }
    expect(await call(sampleShop, '/api/collections/videoproduction', video)).toMatchObject({
      youtubeUrl: 'https://youtu.be/dQw4w9WgXcQ',
    })
    const event = await call(sampleShop, '/api/collections/events', {
      title: untidy,
      content: untidy,
      date: '2026-11-26',
    })
    expect(event).toMatchObject({ title: line, content: text })
    const day = { selectedYear: 2030, selectedMonth: 1, selectedDay: 4, reason: '臨時休業', ...noHourFields }
    const special = await call(sampleShop, '/api/collections/bussinessDaysSpecial', {
      ...day,
      cause: untidy,
      note: untidy,
    })
    expect(special).toMatchObject({ cause: line, note: line })
    const page = await call(sampleShop, '/api/collections/pages', { id: 'p-one', title: untidy, text: untidy })
    expect(page).toMatchObject({ title: line, text: [{ kind: 'paragraph', runs: [{ text }] }] })
    await call(sampleShop, '/api/mail', { to: 'shop', subject: untidy, text: untidy })
    const messages = await sampleShop.db.selectFrom('messages').select(['subject', 'text']).execute()
    expect(messages).toEqual([{ subject: line, text }])
    const shop = await readSiteToEdit(sampleShop.db)
    const place = sectionOfSite(shop, { directions: '1\t駅を出る\r\n2\t右へ', parking: untidy })
    await sampleShop.post('administrator', '/site', place)
    const { directions, parking } = (await readSiteToEdit(sampleShop.db)).facts
    expect({ directions, parking }).toEqual({ directions: ['1 駅を出る', '2 右へ'], parking: text })
    const invited = await sampleShop.post('administrator', '/staff', {
      intent: 'invite',
      name: untidy,
      role: 'editing',
    })
    expect(await invited.text()).not.toContain('使えない文字')
  })

  onSqlite('preserves stored text exactly when a form sends it back unchanged', async () => {
    const sampleShop = await sampleSite(await fresh())
    await sampleShop.people()
    const { id = '' } = await call(sampleShop, '/api/collections/vbacreate', { title: '題', content: '中身' })
    const untidy = { title: '古い\t題\u200b', content: ' 古い\u00ad中身 ', imageAlt: '' }
    await sampleShop.db.updateTable('cards').set(untidy).where('id', '=', id).execute()
    const saved = await sampleShop.post('administrator', `/firestoreservice/${id}/edit`, {
      ...{ intent: 'save', version: '1', order: '4', linkUrl: '', image: '', eventDayYear: '', ...untidy },
    })
    expect(saved.status).toBe(302)
    const card = await sampleShop.db
      .selectFrom('cards')
      .select(['title', 'content', 'order'])
      .where('id', '=', id)
      .execute()
    expect(card).toEqual([{ title: untidy.title, content: untidy.content, order: 4 }])
  })

  onSqlite('rejects every URL with a NUL character', async () => {
    const sampleShop = await sampleSite(await fresh())
    await sampleShop.people()
    const paths = ['/inbox?q=%00x', '/calendar?event=%00', '/staff/%00', '/api/collections/dining/%00', '/p-%00']
    for (const path of paths) expect([path, (await sampleShop.as('administrator', path)).status]).toEqual([path, 400])
  })
})
