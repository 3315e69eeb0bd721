import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adoptImportedMember } from '../app/members/imported.server.ts'
import type { Tables } from '../db/tables.ts'
import { onEachEngine } from '../db/testing.ts'
import { createApp, createLive } from './app.ts'
import { exportSite } from './export.ts'
import { importExport } from './import.ts'
import { readExport } from './import-documents.ts'
import { noon, quietWorld } from './testing.ts'

const zeros = Object.fromEntries(
  ['starttime1', 'endtime1', 'starttime2', 'endtime2'].flatMap((edge) => [
    [`${edge}_hour`, '00'],
    [`${edge}_minute`, '00'],
  ]),
)
const open = { ...zeros, open_or_close: 'open', starttime1_hour: 7, starttime1_minute: '30', endtime1_hour: '10' }
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
  createdAt: { _seconds: 1_700_000_000, _nanoseconds: 0 },
}

// An evening's export of the old site, with what goes wrong in such things.
const files: Record<string, unknown> = {
  'home.json': [{ id: 'slide-1', order: '1', text1: '笑顔', src: 'https://old.example/uploads/Slide.PNG?token=1' }],
  'dining.json': {
    list: {
      jsonData: JSON.stringify([
        { id: 'dish-10', order: '10', title: '鯛茶漬け', content: '出汁で', image: 'https://old.example/x/slide.png' },
        { id: 'dish-9', order: 9, title: '湯豆腐', content: '絹ごし', image: 'https://old.example/x/lost.png' },
        'nothing',
      ]),
    },
    broken: { jsonData: '[{"title": "切れた' },
  },
  'vbacreate.json': {
    ok: card,
    dates: { ...card, eventdate: '2024-05-01', eventday: '2024/5/2', eventdatestring: '2024年5月3日' },
    selected: {
      title: '選んだ日',
      content: 'x',
      selectedYear: 2023,
      selectedMonth: 2,
      selectedDay: 29,
      eventdatestring: '2023年3月1日（水）',
    },
    dateless: { title: '日付なし', content: 'x' },
    script: { ...card, linkUrl: 'javascript:alert(1)', colour: 'red', other: '控え' },
    untitled: { content: '名もなく', eventdate: '2024-05-04' },
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
    twin: { ...member, username: '山本 菊', accountname: '菊2', administrator: false },
  },
  'events.json': {
    ev1: {
      jsonData: JSON.stringify({
        title: '春の会',
        content: '庭で',
        date: '2027-04-03',
        createdAt: '2024-01-01T00:00:00Z',
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
        火曜日: { ...zeros, open_or_close: 'close' },
        年末年始: open,
        木曜日: open,
        金曜日: open,
        土曜日: open,
      }),
      updatedAt: '2024-01-01T00:00:00Z',
    },
  },
  'bussinessDaysSpecial.json': {
    special: {
      schedule: JSON.stringify([
        { ...zeros, selectedYear: 2027, selectedMonth: 8, selectedDay: 16, reason: '臨時休業' },
        {
          ...zeros,
          selectedYear: '2027',
          selectedMonth: '8',
          selectedDay: '16',
          reason: '臨時営業',
          starttime1_hour: 9,
          endtime1_hour: 12,
        },
        { selectedYear: 2027, selectedMonth: 2, selectedDay: 30, reason: '臨時休業' },
      ]),
    },
  },
  'recipes.json': { __collections__: { recipes: { dashi: { title: '出汁' } } } },
}

let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'noren-import-'))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content))
  writeFileSync(join(folder, 'torn.json'), '{"events": ')
  mkdirSync(join(folder, 'uploads'))
  await sharp({ create: { width: 90, height: 60, channels: 3, background: '#983a25' } })
    .png()
    .toFile(join(folder, 'uploads', 'slide.png'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const expected = [
  'torn.json: JSONとして読めません',
  'dining/list: jsonData の3番目を読めません',
  'dining/list: 写真「https://old.example/x/lost.png」が見つかりません',
  'dining/broken: jsonData を読めません',
  'vbacreate/dates: 日付が食い違っています（2024-05-01、2024-05-02、2024-05-03）。2024-05-01 として取り込みます',
  'vbacreate/selected: 「selectedYear・Month・Day」は日付として読めません',
  'vbacreate/dateless: 日付がありません',
  'vbacreate/script: 知らない項目「colour」があります',
  'vbacreate/script: リンクは https:// などで始まるアドレスか、このサイトのページを入力してください',
  'vbacreate/untitled: タイトルがありません',
  'videoproduction/film: YouTubeの動画のアドレスを入力してください',
  '番号「ok」は使えないため、新しい番号を付けます',
  'members/kiku: 管理者として取り込みます。Kiku@example.jp を',
  'members/taro: 「administrator」が真偽値ではありません（"true"）',
  'members/taro: 「admin」が真偽値ではありません（1）',
  'members/taro: アカウント名「きく」はすでにあるため、「きく2」として取り込みます',
  'members/twin: 同じメールアドレス（Kiku@example.jp）のメンバーがほかにいます',
  'events/ev2: jsonData を読めません',
  'events/ev3: 日付を選んでください',
  'bussinessDays/old: 営業時間はひとつだけです。新しいほう（now）を取り込みます',
  'bussinessDays/now: 「年末年始」の行は曜日の表にありません',
  'bussinessDays/now: 「水曜日」の行がありません',
  'bussinessDaysSpecial/special: 2027-08-16 の特別な営業日がふたつあります',
  'bussinessDaysSpecial/special: 「{"selectedYear":2027,"selectedMonth":2,"selectedDay":30',
  'recipes/dashi: 知らないコレクションです',
]

onEachEngine((fresh) => {
  const bring = (db: Kysely<Tables>, path = folder, dryRun = false) =>
    importExport(db, readExport(path), { dryRun, now: noon })

  test('each oddity is named by its document; a dry run names the same and changes nothing', async () => {
    const db = await fresh()
    const before = await everything(db)
    const dry = await bring(db, folder, true)
    expect(await everything(db)).toEqual(before)
    const report = await bring(db)
    for (const sentence of expected) {
      expect(
        report.oddities.filter((oddity) => oddity.includes(sentence)),
        sentence,
      ).toHaveLength(1)
    }
    expect(dry.oddities).toEqual(report.oddities)
    expect(report.oddities).toHaveLength(expected.length)
    expect(report).toMatchObject({ documents: 21, stored: 16, already: 0, leftOut: 5 })
    const kept = await db.selectFrom('importedDocuments').select('id').execute()
    expect(kept).toHaveLength(report.documents)
  })

  test('a second run changes nothing, and says what is different by now', async () => {
    const db = await fresh()
    await bring(db)
    const after = await everything(db)
    const again = await bring(db)
    expect(again).toMatchObject({ documents: 21, stored: 0, already: 21, leftOut: 0 })
    expect(await everything(db)).toEqual(after)
    const changed = readExport(folder)
    for (const document of changed.documents) if (document.id === 'untitled') document.fields.title = '名が付いた'
    const third = await importExport(db, changed, { dryRun: false, now: noon })
    expect(third.oddities.filter((oddity) => oddity.startsWith('vbacreate'))).toEqual([
      'vbacreate/untitled: 前に取り込んでから、元の内容が変わっています。もう一度は取り込みません。',
    ])
    expect(await everything(db)).toEqual(after)
  })

  test('the pages show what was brought in, and nothing that runs', async () => {
    const db = await fresh()
    await bring(db)
    const app = createApp(quietWorld(db, createLive(db)))
    const text = async (path: string) => (await app.request(`http://localhost${path}`)).text()
    const dining = await text('/dining')
    expect(dining.indexOf('湯豆腐')).toBeGreaterThan(0)
    expect(dining.indexOf('湯豆腐')).toBeLessThan(dining.indexOf('鯛茶漬け'))
    const [picture = ''] = /\/pictures\/[\w-]+-800\.jpg/.exec(dining) ?? []
    expect((await app.request(`http://localhost${picture}`)).headers.get('content-type')).toBe('image/jpeg')
    const vba = await text('/vbacreate')
    expect(vba).toContain('選んだ日')
    expect(vba).not.toContain('href="javascript:')
    expect(await text('/calendar?month=2027-04')).toContain('春の会')
    expect(await text('/calendar?month=2027-08')).toContain('臨時営業')
    expect(await text('/infomation')).toContain('7:30〜10:00')
    for (const path of ['/memberlist', '/memberlist.data', '/home', '/vbacreate.data']) {
      expect(await text(path)).not.toMatch(/田中|1980-01-01|Kiku@/)
    }
  })

  test('who proves the address takes the record over; nobody else, and of two records nobody', async () => {
    const db = await fresh()
    await bring(db)
    const visitor = (email: string, emailVerified = true) => ({
      accountId: `account of ${email}`,
      name: '',
      email,
      emailVerified,
      member: null,
    })
    const at = new Date(noon).toISOString()
    // A record of someone who never signed in, and an address that two records have.
    expect(await adoptImportedMember(db, visitor('taro@example.jp'), at)).toBeNull()
    expect(await adoptImportedMember(db, visitor('kiku@example.jp'), at)).toBeNull()
    await db.updateTable('members').set({ deletedAt: at }).where('id', '=', 'twin').execute()
    expect(await adoptImportedMember(db, visitor('kiku@example.jp', false), at)).toBeNull()
    expect(await adoptImportedMember(db, visitor('other@example.jp'), at)).toBeNull()
    const twice = await Promise.all([1, 2].map(() => adoptImportedMember(db, visitor('kiku@example.jp'), at)))
    expect(twice.filter((member) => member !== null)).toEqual([{ id: 'kiku', administrator: true, admin: true }])
    expect(await adoptImportedMember(db, { ...visitor('kiku@example.jp'), accountId: 'late' }, at)).toBeNull()
    const marks = await db.selectFrom('marks').select('name').execute()
    expect(marks.map(({ name }) => name)).toContain('first administrator')
  })

  test('what is written out comes in again the same', async () => {
    const db = await fresh()
    await bring(db)
    const [one, two] = ['one', 'two'].map((name) => join(folder, '..', `noren-export-${crypto.randomUUID()}-${name}`))
    if (!one || !two) throw new Error('no folders')
    try {
      const written = await exportSite(db, one)
      expect(written.pictures).toBe(1)
      const other = await fresh()
      const report = await bring(other, one)
      expect(report).toMatchObject({ documents: written.documents, leftOut: 0 })
      await exportSite(other, two)
      const documents = (path: string) =>
        Object.fromEntries(
          readdirSync(path)
            .filter((name) => name.endsWith('.json'))
            .map((name) => [name, JSON.parse(readFileSync(join(path, name), 'utf8'))]),
        )
      const [first, second] = [documents(one), documents(two)]
      expect(withoutPassing(second)).toEqual(withoutPassing(first))
    } finally {
      for (const path of [one, two]) rmSync(path, { recursive: true, force: true })
    }
  })
})

// When the hours were saved and who signs in is of each site; a picture's name is of the bytes it was made from.
function withoutPassing(documents: Record<string, unknown>) {
  const text = JSON.stringify(documents, (name, value) =>
    /^(?:updatedAt|createdAt|author)$/.test(name) ? undefined : value,
  )
  return JSON.parse(
    text.replace(/\/pictures\/[0-9a-f]+/g, 'picture').replace(/,\\"(?:updatedAt|createdAt)\\":\\"[^"\\]*\\"/g, ''),
  )
}

async function everything(db: Kysely<Tables>) {
  const tables = [
    'contentItems',
    'members',
    'events',
    'businessWeek',
    'specialDays',
    'revisions',
    'pictures',
    'marks',
    'importedDocuments',
  ] as const
  const rows = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()))
  return rows.map((each) => each.map((row) => JSON.stringify(row)).sort())
}
