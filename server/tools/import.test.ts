import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { Event } from '../../app/calendar/event.ts'
import { addEvent } from '../../app/calendar/events.server.ts'
import { addCard } from '../../app/cards/cards.server.ts'
import { noSlots, scheduleRows } from '../../app/hours/business-day.ts'
import { saveSpecialDays, saveWeek } from '../../app/hours/business-days.server.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { StoredSchedule } from '../../app/hours/schedule.ts'
import { addImportedMember, adoptImportedMember } from '../../app/members/imported.server.ts'
import { type MemberFields, memberFieldNames } from '../../app/members/member.ts'
import { pageSettingsOf } from '../../app/pages/page-record.server.ts'
import { addPage, savePage } from '../../app/pages/pages.server.ts'
import type { Text } from '../../app/pages/text.ts'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { inTransaction } from '../../db/transaction.ts'
import { createApp } from '../app.ts'
import { createTestDependencies, createTestLive, noon } from '../testing.ts'
import { folderWith, newFolder } from '../testing-disks.ts'
import { exportSite } from './export.ts'
import { importExport } from './import.ts'
import { readExport } from './import-documents.ts'

const open = {
  ...noHourFields,
  open_or_close: 'open',
  starttime1_hour: 7,
  starttime1_minute: '30',
  endtime1_hour: '10',
}
const seconds = (since1970: number) => ({ _seconds: since1970, _nanoseconds: 0 })
const card = { title: '図面の整理', content: '紙の図面をまとめます。', eventdate: '2024-05-01' }
const member = {
  username: '山本 菊',
  accountname: 'きく',
  email: 'Kiku@example.jp',
  tel_num: '075-000-0011',
  author: { id: 'uid-kiku', username: '山本 菊' },
  administrator: true,
  admin: true,
  challenge: '毎朝走ること',
  createdAt: seconds(1_700_000_000),
}

// An export of the old site with typical mistakes.
const files: Record<string, unknown> = {
  'home.json': [{ id: 'slide-1', order: '1', text1: '笑顔', src: 'https://old.example/uploads/Slide.PNG?token=1' }],
  'dining.json': {
    list: {
      jsonData: JSON.stringify([
        {
          id: 'dish-10',
          order: '10',
          title: '鯛茶漬け',
          content: '出汁で',
          image: 'https://old.example/x/slide.png',
          allergensConfirmed: true,
        },
        {
          id: 'dish-9',
          order: 9,
          title: '湯豆腐',
          content: '絹ごし',
          price: '900',
          allergens: '小麦',
          image: 'https://old.example/x/lost.png',
        },
        'nothing',
      ]),
    },
    // A dish without a text is valid.
    alone: { jsonData: JSON.stringify({ id: 'dish-11', order: 11, title: '鯛', price: '千円' }) },
    broken: { jsonData: '[{"title": "切れた' },
  },
  'vbacreate.json': {
    ok: { ...card, createdAt: '2024-05-01T00:00:00Z' },
    corrected: {
      ...card,
      title: '直した図面',
      created_at: seconds(1_600_000_000),
      updated_at: '2024-06-01T09:00:00+09:00',
    },
    draft: { ...card, title: 'まだ秘密の図面', draft: true },
    'a b': { ...card, title: '空白のある番号' },
    dates: { ...card, eventdate: '2024-05-01', eventday: '2024/5/2', eventdatestring: '2024年5月3日' },
    selected: {
      title: '選んだ日',
      image: 'https://old.example/uploads/slide.png',
      content: 'x',
      selectedYear: 2023,
      selectedMonth: 2,
      selectedDay: 29,
      eventdatestring: '2023年3月1日（水）',
    },
    dateless: { title: '日付なし', content: 'x' },
    script: { ...card, linkUrl: 'javascript:alert(1)', colour: 'red', other: '控え' },
    // In Japan, this time is 05:00 on 4 May.
    untitled: { content: '名もなく', eventdate: '2024-05-03T20:00:00Z' },
  },
  'videoproduction.json': [{ id: 'film', ...card, youtubeUrl: 'https://video.example/watch?v=1' }],
  'socialefficiency.json': { ok: { ...card, title: '同じ番号' } },
  'members.json': {
    kiku: member,
    taro: {
      ...member,
      username: '田中 太郎',
      email: 'taro@example.jp',
      administrator: 'true',
      admin: 1,
      birthday: '1980-01-01',
      realname: '田中 一郎',
      author: JSON.stringify({ id: 'nonMember-77', username: '太郎' }),
    },
    sora: {
      ...member,
      accountname: 'そら',
      email: 'sora@example.jp',
      author: { id: 'nonMember-77', username: '空' },
    },
    twin: {
      ...member,
      username: '山本 菊',
      accountname: '菊2',
      email: 'kiku@example.jp',
      administrator: false,
      __collections__: { notes: { first: { text: '道具のこと' } }, empty: {} },
    },
    ume: { ...member, username: '梅', accountname: '梅', email: 'ume@example.jp', author: { id: 'uid-ume' } },
    broken: { ...member, username: '壊', accountname: '壊', email: 'broken@example', author: { id: 'uid-broken' } },
  },
  'events.json': {
    ev1: {
      jsonData: JSON.stringify({
        title: '春の会',
        content: '庭で',
        date: '2027-04-03',
        createdAt: '2024-01-01T00:00:00Z',
        updatedAt: '2024-01-02T00:00:00Z',
      }),
    },
    ev2: { jsonData: '{"title":' },
    ev3: { jsonData: JSON.stringify({ title: '日付違い', date: '2027-02-30' }) },
  },
  'bussinessDays.json': {
    old: { schedule: JSON.stringify({ 月: open }), updatedAt: '2023-01-01T00:00:00Z' },
    now: {
      schedule: JSON.stringify({
        日: open,
        月曜: open,
        火曜日: { ...noHourFields, open_or_close: 'close' },
        年末年始: open,
        木曜日: open,
        金曜日: open,
        土曜日: open,
      }),
      createdAt: '2020-01-01T00:00:00Z',
      updatedAt: '2024-01-01T00:00:00Z',
    },
  },
  'bussinessDaysSpecial.json': {
    special: {
      createdAt: '2021-01-01T00:00:00Z',
      updatedAt: '2022-01-01T00:00:00Z',
      schedule: JSON.stringify([
        { ...noHourFields, selectedYear: 2027, selectedMonth: 8, selectedDay: 16, reason: '臨時休業' },
        {
          ...noHourFields,
          selectedYear: '2027',
          selectedMonth: '8',
          selectedDay: '16',
          reason: '臨時営業',
          cause: 'お祭り',
          note: '品切れしだい終わります。',
          starttime1_hour: 9,
          endtime1_hour: 12,
        },
        { selectedYear: 2027, selectedMonth: 2, selectedDay: 30, reason: '臨時休業' },
        {
          ...noHourFields,
          selectedYear: 2027,
          selectedMonth: 8,
          selectedDay: 17,
          reason: '長'.repeat(60),
          cause: '長'.repeat(21),
          note: 1,
        },
      ]),
    },
  },
  'recipes.json': { __collections__: { recipes: { dashi: { title: '出汁' } } } },
}

const folder = folderWith(files)
beforeAll(async () => {
  writeFileSync(join(folder, 'torn.json'), '{"events": ')
  mkdirSync(join(folder, 'uploads'))
  await sharp({ create: { width: 90, height: 60, channels: 3, background: '#983a25' } })
    .png()
    .toFile(join(folder, 'uploads', 'slide.png'))
  writeFileSync(join(folder, 'uploads', 'broken.png'), 'no picture')
})

const expectedOddities = [
  'torn.json: JSONとして読めません',
  'dining/list: jsonData の3番目を読めません',
  'dining/list: 写真「https://old.example/x/lost.png」が見つかりません',
  'dining/broken: jsonData を読めません',
  'dining/alone: 「price」が価格ではありません（"千円"）',
  'vbacreate/dates: 日付が食い違っています（2024-05-01、2024-05-02、2024-05-03）。2024-05-01 として取り込みます',
  'vbacreate/selected: 「selectedYear・Month・Day」は日付として読めません',
  'vbacreate/dateless: 日付がありません',
  'vbacreate/script: 不明な項目「colour」があります',
  'vbacreate/script: リンクは https:// などで始まるアドレスか、このサイトのページを入力してください',
  'vbacreate/untitled: タイトルがありません',
  'videoproduction/film: YouTubeの動画のアドレスを入力してください',
  'ID「ok」は使えないため、新しいIDを付けます',
  'vbacreate/a b: ID「a b」は使えないため、新しいIDを付けます',
  'members/kiku: メールアドレス「Kiku@example.jp」が、ほかのメンバーと同じです（山本 菊、kiku@example.jp。大文字と小文字は区別しません）',
  'members/kiku: このアドレスで関連付けを待つ登録がほかにもあるため、ログインしても自動では関連付けられません。管理者の権限は残りますが、このままではどなたも管理者になりません',
  'members/taro: 「administrator」が真偽値ではありません（"true"）',
  'members/taro: 「admin」が真偽値ではありません（1）',
  'members/taro: アカウント名「きく」はすでにあるため、「きく2」として取り込みます',
  'members/sora: author のID「nonMember-77」がほかのメンバーと同じです',
  'members/taro: author の名前「太郎」は取り込みません',
  'members/sora: author の名前「空」は取り込みません',
  'members/sora: アカウントのない方なので、管理者としては取り込みません',
  'members/twin: author のID「uid-kiku」が members/kiku と同じです',
  'members/twin: メールアドレス「kiku@example.jp」が、ほかのメンバーと同じです（山本 菊、Kiku@example.jp。大文字と小文字は区別しません）',
  'members/twin: このアドレスで関連付けを待つ登録がほかにもあるため、ログインしても自動では関連付けられません。',
  'members/ume: 管理者として取り込みます。ume@example.jp の',
  'members/broken: メールアドレス「broken@example」は有効ではありません',
  'members/broken: メールアドレスがないか有効でないため、ログインしても自動では関連付けられません。管理者の権限は残りますが',
  'members/twin/notes/first: サブコレクションの文書で、このサイトには場所がありません。元の文書だけを保存します（中身: {"text":"道具のこと"}）',
  'events/ev2: jsonData を読めません',
  'events/ev3: 日付を選んでください',
  'bussinessDays/old: 営業時間は一つだけです。新しいほう（now）を取り込みます',
  'bussinessDays/now: 「年末年始」の行は曜日の表にありません',
  'bussinessDays/now: 「水曜日」の行がありません',
  'bussinessDaysSpecial/special: 2027-08-16 の特別営業日が二つあります',
  'bussinessDaysSpecial/special: 「{"selectedYear":2027,"selectedMonth":2,"selectedDay":30',
  'bussinessDaysSpecial/special: 2027-08-17 の理由は長いため、はじめの40文字を取り込みます（長長',
  'bussinessDaysSpecial/special: 2027-08-17 の「cause」は長いため、はじめの20文字を取り込みます（長長',
  'recipes/dashi: 不明なコレクションです',
  'uploads/broken.png: どの文書からも使われていないファイルです',
]

test('reads equal documents once, and reports the older of two different documents with the same ID', () => {
  const read = (path: string) => {
    const { documents, oddities, notKept } = readExport(path)
    return { titles: documents.map(({ fields }) => fields.title), oddities, notKept }
  }
  const allCollections = { dining: { list: { title: '鯛', updatedAt: '2024-02-01' } }, vbacreate: { list: {} } }
  const withDining = (list: object) => folderWith({ 'everything.json': allCollections, 'dining.json': { list } })
  const same = read(withDining({ updatedAt: '2024-02-01', title: '鯛' }))
  expect(same).toEqual({ titles: ['鯛', undefined], oddities: [], notKept: 0 })
  const older = read(withDining({ title: '鰆', updatedAt: '2024-01-01' }))
  const oddities = [
    'dining/list: 同じIDの文書が二つあり、内容が違います。新しいほうを取り込み、こちらは取り込みません（中身: {"title":"鰆","updatedAt":"2024-01-01"}）。',
  ]
  expect(older).toEqual({ titles: ['鯛', undefined], oddities, notKept: 1 })
  const twice = folderWith({ 'everything.json': {} })
  writeFileSync(join(twice, 'dining.json'), '{ "list": { "title": "鰆" }, "list": { "title": "鰤", "title": "鯖" } }')
  expect(read(twice)).toEqual({
    titles: ['鯖'],
    oddities: [
      'dining/list: 項目「title」が二つあります。後に書かれているほうを取り込みます（前のほう: "鰤"）。',
      'everything.json: コレクションが見つかりません。',
      'dining/list: 同じIDの文書が二つあり、内容が違います。後に書かれているほうを取り込み、こちらは取り込みません（中身: {"title":"鰆"}）。',
    ],
    notKept: 1,
  })
})

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const importFolder = (db: Db, path = folder, dryRun = false) =>
    importExport(db, readExport(path), { dryRun, now: noon })

  onSqlite('reports each oddity with its document, and changes nothing in a dry run', async () => {
    const db = await fresh()
    const before = await readEveryTable(db)
    const dry = await importFolder(db, folder, true)
    expect(await readEveryTable(db)).toEqual(before)
    const report = await importFolder(db)
    const named = (sentence: string) => report.oddities.filter((oddity) => oddity.includes(sentence))
    for (const sentence of expectedOddities) expect(named(sentence), sentence).toHaveLength(1)
    expect(dry.oddities).toEqual(report.oddities)
    expect(report.oddities).toHaveLength(expectedOddities.length)
    expect(report).toMatchObject({ documents: 29, stored: 23, already: 0, leftOut: 6, notKept: 0 })
    expect(await db.selectFrom('importedDocuments').select('id').execute()).toHaveLength(report.documents)
  })

  test('stores each document with the values of the old site', async () => {
    const db = await fresh()
    await importFolder(db)
    const cards = await db.selectFrom('cards').selectAll().execute()
    const stored = (title: string) => cards.find((each) => each.title === title)
    const at = new Date(noon).toISOString()
    const first = '2024-05-01T00:00:00.000Z'
    expect(stored('図面の整理')).toMatchObject({ createdAt: first, updatedAt: first, draft: false })
    expect(stored('直した図面')).toMatchObject({
      createdAt: '2020-09-13T12:26:40.000Z',
      updatedAt: '2024-06-01T00:00:00.000Z',
    })
    expect(stored('まだ秘密の図面')).toMatchObject({ draft: true, createdAt: at, updatedAt: at })
    expect(stored('空白のある番号')?.id).toMatch(/^[0-9a-f-]{36}$/)
    expect([stored('同じ番号')?.id, stored('図面の整理')?.id]).toEqual(['ok', expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(stored('選んだ日')).toMatchObject({ eventDay: '2023-03-01' })
    expect(stored('（無題）')).toMatchObject({ id: 'untitled', eventDay: '2024-05-04' })
    expect(cards.find(({ id }) => id === 'script')).toMatchObject({ other: '控え' })
    const tofu = { id: 'dish-9', price: '900', image: '', allergens: '小麦', allergensConfirmed: true }
    expect(stored('湯豆腐')).toMatchObject(tofu)
    expect(stored('鯛茶漬け')).toMatchObject({ allergens: '', allergensConfirmed: true })
    const bream = { id: 'dish-11', content: '', price: '', allergens: '', allergensConfirmed: false }
    expect(stored('鯛')).toMatchObject(bream)

    const members = await db.selectFrom('members').selectAll().execute()
    const memberById = (id: string) => members.find((each) => each.id === id)
    const createdAt = '2023-11-14T22:13:20.000Z'
    expect(memberById('kiku')).toMatchObject({
      ...{ nonMemberId: null, administrator: true, admin: true, createdAt, updatedAt: createdAt },
      ...{ telNum: '075-000-0011', strengths: '毎朝走ること', birthday: null },
    })
    expect(memberById('taro')).toMatchObject({
      ...{
        nonMemberId: 'nonMember-77',
        administrator: false,
        admin: false,
        birthday: '1980-01-01',
        realname: '田中 一郎',
      },
    })
    // A member without an account cannot be an administrator.
    expect(memberById('sora')).toMatchObject({ nonMemberId: 'nonMember-sora', administrator: false, admin: true })
    expect(members.map(({ accountId }) => accountId)).toEqual([null, null, null, null, null, null])
    const history = db.selectFrom('revisions').select('action').where('subject', '=', 'member')
    expect(await history.execute()).toEqual(members.map(() => ({ action: 'add' })))

    expect(await db.selectFrom('events').select(['id', 'day', 'createdAt', 'updatedAt']).execute()).toEqual([
      { id: 'ev1', day: '2027-04-03', createdAt: '2024-01-01T00:00:00.000Z', updatedAt: '2024-01-02T00:00:00.000Z' },
    ])
    expect(await db.selectFrom('businessWeek').select(['createdAt', 'updatedAt']).execute()).toEqual([
      { createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2024-01-01T00:00:00.000Z' },
    ])
    const special = await db.selectFrom('specialDays').selectAll().orderBy('day').execute()
    const times = { createdAt: '2021-01-01T00:00:00.000Z', updatedAt: '2022-01-01T00:00:00.000Z' }
    expect(special).toMatchObject([
      { day: '2027-08-16', reason: '臨時営業', cause: 'お祭り', note: '品切れしだい終わります。', ...times },
      { day: '2027-08-17', reason: '長'.repeat(40), cause: '長'.repeat(20), note: '1', ...times },
    ])
    // The history contains the time of the import.
    const revisions = await db.selectFrom('revisions').select('at').distinct().execute()
    expect(revisions).toEqual([{ at }])
  })

  test('overwrites no existing records of the site', async () => {
    const db = await fresh()
    const author = { accountId: null, at: '2026-01-01T00:00:00.000Z' }
    const memberFields = Object.fromEntries(memberFieldNames.map((name) => [name, name])) as MemberFields
    await inTransaction(db, async (trx) => {
      const { at } = author
      const rights = { nonMemberId: null, administrator: false, admin: false, birthday: null, realname: null } as const
      await addImportedMember(trx, { ...memberFields, ...rights, id: 'kiku', createdAt: at, updatedAt: at }, author)
      await addEvent(trx, 'ev1', Event.parse({ day: '2026-12-01', title: '冬の会' }), author)
      await saveSpecialDays(trx, { days: ['2027-08-16'], reason: '臨時休業', slots: noSlots }, new Map(), author)
      const week = { id: 'week', version: 1, schedule: 'unreadable', createdAt: at, updatedAt: at } as const
      await trx.insertInto('businessWeek').values(week).execute()
    })
    const tables = ['events', 'businessWeek'] as const
    const read = async () => [
      ...(await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()))),
      await db.selectFrom('members').selectAll().where('id', '=', 'kiku').execute(),
      await db.selectFrom('specialDays').selectAll().where('day', '=', '2027-08-16').execute(),
    ]
    const before = await read()
    const { stored, leftOut, oddities } = await importFolder(db)
    expect(await read()).toEqual(before)
    for (const sentence of [
      'members/kiku: 同じIDのメンバーがすでにいます。取り込みません。元の文書だけを保存します。',
      'events/ev1: 同じIDの予定がすでにあります。取り込みません。元の文書だけを保存します。',
      'bussinessDays/now: 現在の営業時間を読めないため、上書きしません。サイトの画面でご確認ください。',
      'bussinessDaysSpecial/special: 2027-08-16 は、このサイトにすでに登録されています。取り込みません（こちらは',
    ])
      expect(oddities.filter((oddity) => oddity.startsWith(sentence))).toHaveLength(1)
    expect([stored, leftOut]).toEqual([20, 9])
  })

  test('changes nothing in a second run, and reports documents that differ from those of the first run', async () => {
    const db = await fresh()
    await importFolder(db)
    const after = await readEveryTable(db)
    const again = await importFolder(db)
    expect(again).toMatchObject({ documents: 29, stored: 0, already: 29, leftOut: 0, notKept: 0 })
    expect(again.oddities).toEqual([
      'torn.json: JSONとして読めません。',
      'uploads/broken.png: どの文書からも使われていないファイルです。取り込みません。',
    ])
    expect(await readEveryTable(db)).toEqual(after)
    const changed = readExport(folder)
    for (const document of changed.documents) if (document.id === 'untitled') document.fields.title = '名が付いた'
    const third = await importExport(db, changed, { dryRun: false, now: noon })
    expect(third.oddities.filter((oddity) => oddity.startsWith('vbacreate'))).toEqual([
      'vbacreate/untitled: 前回の取り込みのあとで、元の内容が変わっています。取り込み直しません。',
    ])
    expect(await readEveryTable(db)).toEqual(after)
  })

  onSqlite('shows the imported content in the HTML of the pages', async () => {
    const db = await fresh()
    const closed = Object.fromEntries(scheduleRows.map((name) => [name, { ...noHourFields, open_or_close: 'close' }]))
    await saveWeek(
      db,
      StoredSchedule.parse(closed),
      { version: 0 },
      { accountId: null, at: '2026-01-01T00:00:00.000Z' },
    )
    await importFolder(db)
    const app = createApp(createTestDependencies(db, createTestLive(db)))
    const text = async (path: string) => (await app.request(`http://localhost${path}`)).text()
    const dining = await text('/dining')
    expect(dining.indexOf('湯豆腐')).toBeGreaterThan(0)
    expect(dining.indexOf('湯豆腐')).toBeLessThan(dining.indexOf('鯛茶漬け'))
    const [picture = ''] = /\/pictures\/[\w-]+-800\.jpg/.exec(dining) ?? []
    expect((await app.request(`http://localhost${picture}`)).headers.get('content-type')).toBe('image/jpeg')
    // The slide and the dish share this image, so the image has the size of the slide.
    expect(/src="\/pictures\/\w+-(\d+\.jpg)/.exec(await text('/'))?.[1]).toBe('1920.jpg')
    const vba = await text('/vbacreate')
    expect(vba).toContain('選んだ日')
    expect(vba).not.toContain('まだ秘密の図面')
    expect(vba).not.toContain('href="javascript:')
    expect(await text('/calendar?month=2027-04')).toContain('春の会')
    expect(await text('/calendar?month=2027-08')).toContain('臨時営業')
    expect(await text('/infomation')).toContain('7:30〜10:00')
    for (const path of ['/memberlist', '/memberlist.data', '/home', '/vbacreate.data']) {
      expect(await text(path)).not.toMatch(/田中|1980-01-01|Kiku@/)
    }
  })

  test('links an imported member only to the account with its verified, unique e-mail address', async () => {
    const db = await fresh()
    await importFolder(db)
    const at = new Date(noon).toISOString()
    const adopt = (name: string, { accountId = `account of ${name}`, emailVerified = true } = {}) => {
      const account = { accountId, name: '', email: `${name}@example.jp`, emailVerified }
      return adoptImportedMember(db, { ...account, member: null, staff: null }, at)
    }
    // `adopt` returns null for members who never signed in, and for an e-mail address of two members.
    for (const name of ['taro', 'sora', 'kiku']) expect(await adopt(name), name).toBeNull()
    await db.updateTable('members').set({ deletedAt: at }).where('id', '=', 'twin').execute()
    expect(await adopt('kiku', { emailVerified: false })).toBeNull()
    expect(await adopt('other')).toBeNull()
    const twice = await Promise.all([1, 2].map(() => adopt('kiku')))
    expect(twice.filter((member) => member !== null)).toEqual([{ id: 'kiku', administrator: true, admin: true }])
    expect(await adopt('kiku', { accountId: 'late' })).toBeNull()
    const marks = await db.selectFrom('marks').select('name').execute()
    expect(marks.map(({ name }) => name)).toContain('first administrator')
  })

  test('exports the same documents after a round trip of export and import', async () => {
    const db = await fresh()
    await importFolder(db)
    const [one, two] = [join(newFolder(), 'one'), join(newFolder(), 'two')]
    const deletedAt = new Date(noon).toISOString()
    await db.updateTable('members').set({ deletedAt }).where('id', '=', 'twin').execute()
    await db.updateTable('cards').set({ deletedAt }).where('id', '=', 'corrected').execute()
    await addEvent(db, 'gone', Event.parse({ day: '2026-12-01', title: '消した会' }), {
      accountId: null,
      at: deletedAt,
    })
    await db.updateTable('events').set({ deletedAt }).where('id', '=', 'gone').execute()
    const author = { accountId: null, at: deletedAt }
    const { name: picture } = await db.selectFrom('pictures').select('name').executeTakeFirstOrThrow()
    const text: Text = [
      { kind: 'heading', runs: [{ text: 'はじまり' }] },
      { kind: 'picture', url: `/pictures/${picture}-1920.jpg`, alt: '屋台' },
    ]
    const about = { ...pageSettingsOf('p-about', null), title: '店のこと', text, shown: false }
    await addPage(db, 'p-about', about, author)
    await addCard(db, 'p-about', { title: '屋台', content: '昭和三年のころ。' }, author)
    const dining = { ...pageSettingsOf('dining', null), title: '品書き', introduction: '夜六時から。' }
    await savePage(db, 'dining', { version: 0, facts: dining }, author)
    const written = await exportSite(db, one)
    expect(written.pictures).toBe(1)
    expect(readdirSync(join(one, 'pictures'))).toEqual([expect.stringMatching(/^[0-9a-f]{32}-1920\.jpg$/)])
    // Other users of this machine must not read members' data.
    for (const path of readdirSync(one, { recursive: true, encoding: 'utf8' }))
      expect(statSync(join(one, path)).mode & 0o077, path).toBe(0)
    const exportedTexts = readdirSync(one).flatMap((name) =>
      name.endsWith('.json') ? readFileSync(join(one, name), 'utf8') : [],
    )
    expect(exportedTexts.join()).toContain('毎朝走ること')
    expect(exportedTexts.join()).not.toMatch(/直した図面|菊2|消した会/)
    const other = await fresh()
    const report = await importFolder(other, one)
    expect(report).toMatchObject({ documents: written.documents, leftOut: 0 })
    await exportSite(other, two)
    const documents = (path: string) =>
      Object.fromEntries(
        readdirSync(path)
          .filter((name) => name.endsWith('.json'))
          .map((name) => [name, JSON.parse(readFileSync(join(path, name), 'utf8'))]),
      )
    const [first, second] = [documents(one), documents(two)]
    expect(withoutSiteValues(second)).toEqual(withoutSiteValues(first))
    expect(second['pages.json']).toMatchObject({
      'p-about': { title: '店のこと', shown: false },
      dining: { title: '品書き' },
    })
    expect(Object.values(second['p-about.json'])).toMatchObject([{ title: '屋台' }])
    expect(first['members.json']).toMatchObject({ taro: { author: { id: 'nonMember-77', username: '田中 太郎' } } })
  })
})

// Removes account IDs, which belong to each site, and image names, which depend on the bytes.
function withoutSiteValues(documents: Record<string, unknown>) {
  const text = JSON.stringify(documents, (name, value) => (name === 'author' ? undefined : value))
  return JSON.parse(text.replace(/\/pictures\/[0-9a-f]+/g, 'picture'))
}

const tables = [
  ...(['cards', 'members', 'events', 'businessWeek', 'specialDays', 'revisions'] as const),
  ...(['pictures', 'marks', 'importedDocuments'] as const),
]

async function readEveryTable(db: Db) {
  const rows = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()))
  return rows.map((each) => each.map((row) => JSON.stringify(row)).sort())
}
