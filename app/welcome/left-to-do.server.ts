import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { weekRecord } from '../business-days/hours-records.server.ts'
import { cardRecord } from '../cards/card-record.server.ts'
import { listCards } from '../cards/cards.server.ts'
import { mayEditSite, type Visitor } from '../permissions.ts'
import { untouchedOf, withoutSample } from '../sample/sample.server.ts'
import { readSite } from '../site/site.server.ts'
import { factsOf, siteRecord } from '../site/site-record.server.ts'

/** What a shop still lacks that its visitors ask for first, each with the way to it. */
export type LeftToDo = { what: string; to: string }[]

/** What is left to set up, for administrators: what the sample says counts as missing. Nothing once the list was put away. */
export async function readLeftToDo(
  db: Kysely<Tables>,
  visitor: Visitor,
  { verifies }: { verifies: boolean },
): Promise<LeftToDo> {
  if (!mayEditSite(visitor) || (await readSite(db)).setupListHidden) return []
  const { name, telephone, address } = await ownSite(db)
  const missing: [boolean, string, string][] = [
    [name === '', '店名と印を決める', '/site#sign'],
    [address === '' || telephone === '', '住所と電話番号を入れる', '/site#place'],
    [!(await hasOwnWeek(db)), '毎週の営業時間を決める', '/bussinessdays'],
    [!(await hasOwn(db, 'dining')), 'お料理を1品入れる', '/dining/new/add'],
    [!(await hasOwn(db, 'home')), 'ホームに写真を1枚入れる', '/welcome/pictures'],
    [verifies && visitor?.emailVerified === false, 'メールアドレスを確認する', '/account'],
  ]
  return missing.flatMap(([isMissing, what, to]) => (isMissing ? { what, to } : []))
}

/** The shop's facts as far as somebody has said them; the name is empty until then. */
export async function ownSite(db: Kysely<Tables>) {
  const row = await db.selectFrom('site').selectAll().executeTakeFirst()
  const facts = factsOf(row && (await withoutSample(db, siteRecord, row)))
  return { ...facts, name: facts.name === factsOf(null).name ? '' : facts.name }
}

/** Whether somebody has set the hours of the week, beside the sample. */
export async function hasOwnWeek(db: Kysely<Tables>) {
  const row = await db.selectFrom('businessWeek').select(['id', 'version']).executeTakeFirst()
  return row !== undefined && !(await untouchedOf(db, weekRecord.subject))(row)
}

async function hasOwn(db: Kysely<Tables>, collection: 'dining' | 'home') {
  const isUntouched = await untouchedOf(db, cardRecord.subject)
  return (await listCards(db, collection)).some((card) => !isUntouched(card))
}
