import { type Kysely, sql } from 'kysely'

export async function up(anyDb: Kysely<unknown>) {
  await anyDb.schema
    .createTable('pages')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .addColumn('updatedAt', 'text', (column) => column.notNull())
    .addColumn('deletedAt', 'text')
    .execute()
  await anyDb.schema
    .createIndex('sampleRevisions')
    .on('revisions')
    .columns(['subject', 'subjectId'])
    .where(sql.ref('action'), '=', sql.lit('sample'))
    .execute()

  const db = anyDb as Kysely<Tables>
  const decided = await db.selectFrom('marks').select('at').where('name', '=', 'sample shop decided').executeTakeFirst()
  if (!decided) return
  // Revisions that the site itself made at that instant are sample content.
  await db
    .updateTable('revisions')
    .set({ action: 'sample' })
    .where('accountId', 'is', null)
    .where('at', '=', decided.at)
    .execute()
  for (const [id, facts] of Object.entries(pages)) {
    const row = { id, version: 1, facts: JSON.stringify(facts), updatedAt: decided.at, deletedAt: null }
    await db.insertInto('pages').values(row).execute()
    await db
      .insertInto('revisions')
      .values(revisionOf('page', row, decided.at))
      .execute()
  }
  await giveSite(db, decided.at)
}

type Site = { id: string; version: number; facts: string; updatedAt: string }
type Tables = {
  marks: { name: string; at: string }
  site: Site
  pages: Site & { deletedAt: null }
  revisions: {
    id: string
    subject: string
    subjectId: string
    action: string
    accountId: string | null
    at: string
    version: number
    saveId: string
    before: string | null
    after: string | null
  }
}

function revisionOf(subject: string, row: { id: string; version: number }, at: string): Tables['revisions'] {
  const of = { subject, subjectId: row.id, version: row.version, before: null, after: JSON.stringify(row) }
  return { id: crypto.randomUUID(), saveId: crypto.randomUUID(), action: 'sample', accountId: null, at, ...of }
}

// Also changes the history, so that a revert cannot remove the new settings.
async function giveSite(db: Kysely<Tables>, at: string) {
  const given = (facts: string) => JSON.stringify({ ...siteFacts, ...JSON.parse(facts) })
  const row = await db.selectFrom('site').selectAll().executeTakeFirst()
  if (!row) {
    const first = { id: 'site', version: 1, facts: given('{}'), updatedAt: at }
    await db.insertInto('site').values(first).execute()
    await db
      .insertInto('revisions')
      .values(revisionOf('site', first, at))
      .execute()
    return
  }
  await db
    .updateTable('site')
    .set({ facts: given(row.facts) })
    .execute()
  const state = (text: string | null) => {
    const then = text && JSON.parse(text)
    return then && JSON.stringify({ ...then, facts: given(then.facts) })
  }
  for (const { id, before, after } of await db
    .selectFrom('revisions')
    .select(['id', 'before', 'after'])
    .where('subject', '=', 'site')
    .execute()) {
    const states = { before: state(before), after: state(after) }
    await db.updateTable('revisions').set(states).where('id', '=', id).execute()
  }
}

const siteFacts = {
  name: 'ダイニング結',
  seal: '結',
  firstSlot: '朝の部',
  secondSlot: '昼の部',
  cuisine: 'Japanese',
  recipientNames: { shop: 'お店', circle: 'テニスサークル', portfolio: '制作とシステムのご相談' },
}

const pages: Record<string, object> = {
  home: { title: '京都の朝ごはんとお昼', introduction: '朝の湯気と、\n出汁の香りと。', scenes: '店の風景' },
  infomation: {
    description: '営業時間と定休日、お席やお支払いのご案内です。',
    film: 'shop',
    imageAlt: '風にゆれる店の暖簾と、ともる提灯',
  },
  dining: {
    description: '土鍋の炊き込みご飯、出汁巻き玉子、おばんざい。京都の野菜と一番出汁でつくる、朝とお昼のお料理です。',
    empty: 'お料理はただいま準備しております。もうしばらくお待ちください。',
  },
  access: { description: '住所、電話番号、地図と、駅やバス停からの道順をご案内します。' },
  calendar: { description: '営業日と定休日、祝日の営業、催しやテニスサークルの予定をご覧いただけます。' },
  videoproduction: {
    description: '撮影から編集、動画サイトでの公開まで。お店や地域の魅力を伝える動画づくりの実例をご紹介します。',
    film: 'video',
  },
  municipalarchitect: {
    description: '公共施設の点検、図面の管理、修繕の計画。自治体の建築の仕事を助けるしくみの実例をご紹介します。',
    film: 'architect',
  },
  webdesignincludebackend: {
    description: '小さなお店のサイトから、予約や管理のしくみまで。見た目と裏側をひとつにつくる実例をご紹介します。',
    film: 'web',
  },
  vbacreate: {
    description: '請求書、シフト表、在庫、月次の報告。表計算の繰り返し作業をひと押しにする実例をご紹介します。',
    film: 'vba',
  },
  socialefficiency: {
    description:
      '乗り合いバス、図書館、食べものの分かち合い。町のむだを減らし、暮らしを楽にする取り組みをご紹介します。',
    film: 'social',
  },
  tennisrelated: {
    description: '毎週土曜日の練習会、はじめての方の日、季節の親睦試合。店に集う仲間のテニスサークルです。',
    film: 'tennis',
  },
  mail: { introduction: 'ご予約のご相談、サークルの見学、お仕事のご依頼など、お気軽にお書きください。' },
  privacy: { description: 'お預かりする情報と、その使いみち、残る期間、消し方を、やさしい言葉でまとめました。' },
}
