import type { Db } from '../../db/tables.ts'
import { cardRecord } from '../cards/card-record.server.ts'
import { listCards } from '../cards/cards.server.ts'
import { weekRecord } from '../hours/hours-records.server.ts'
import { mayEditSite, type Visitor } from '../permissions.ts'
import { readSite } from '../settings/site.server.ts'
import { settingsOf, siteRecord } from '../settings/site-record.server.ts'
import { untouchedPredicate, withoutSample } from './sample.server.ts'

export type ChecklistState = { what: string; to: string }[]

type SetupState = { verifies: boolean; hasReader: boolean; hasSample: boolean; hasCopy: boolean }

/**
 * Returns the open setup tasks. Sample content counts as missing. Returns [] if the visitor is not an administrator or
 * the checklist is hidden.
 */
export async function readChecklist(
  db: Db,
  visitor: Visitor,
  { verifies, hasReader, hasSample, hasCopy }: SetupState,
): Promise<ChecklistState> {
  if (!mayEditSite(visitor) || (await readSite(db)).setupListHidden) return []
  const { name, telephone, address, mapQuery, wayPicture, description, links } = await readOwnSettings(db)
  const tasks: [boolean, string, string][] = [
    [name === '', '店名と印を設定する', '/site#sign'],
    [address === '' || telephone === '', '住所と電話番号を入力する', '/site#place'],
    [!(await hasOwnWeek(db)), '毎週の営業時間を設定する', '/bussinessdays'],
    [!(await hasOwnCard(db, 'dining')), 'お料理を1品追加する', '/dining/new/add'],
    [!(await hasOwnCard(db, 'home')), 'ホームに写真を1枚追加する', '/welcome/pictures'],
    [mapQuery === '' && wayPicture === '', '地図に表示されるようにする', '/site#place'],
    [description === '', 'お店の紹介を書く', '/site#words'],
    [links.length === 0, 'SNSや予約サイトへのリンクを追加する（あれば）', '/site#guide'],
    [verifies && visitor?.emailVerified === false, 'メールアドレスを確認する', '/account'],
    [!hasReader, 'お問い合わせの通知が届くアドレスを設定する', '/site#mail'],
    [hasSample, '見本の内容を削除するか書き換える', '/today#sample'],
    [!hasCopy, 'データの控えをダウンロードして、別の場所に置く', '/backup'],
  ]
  return tasks.flatMap(([isMissing, what, to]) => (isMissing ? { what, to } : []))
}

/** Returns the site settings without sample content. The default name of the shop becomes ''. */
export async function readOwnSettings(db: Db) {
  const row = await db.selectFrom('site').selectAll().executeTakeFirst()
  const facts = settingsOf(row && (await withoutSample(db, siteRecord, row)))
  return { ...facts, name: facts.name === settingsOf(null).name ? '' : facts.name }
}

export async function hasOwnWeek(db: Db) {
  const row = await db.selectFrom('businessWeek').select(['id', 'version']).executeTakeFirst()
  return row !== undefined && !(await untouchedPredicate(db, weekRecord.subject))(row)
}

async function hasOwnCard(db: Db, collection: 'dining' | 'home') {
  const isUntouched = await untouchedPredicate(db, cardRecord.subject)
  return (await listCards(db, collection)).some((card) => !isUntouched(card))
}
