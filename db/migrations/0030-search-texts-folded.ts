import type { Kysely } from 'kysely'
import { rowsInBatches } from '../migration-steps.ts'

type Message = { id: string; searchText: string }

const pairs =
  '髙高﨑崎嵜崎碕崎濵浜濱浜邊辺邉辺齋斎齊斎斉斎德徳廣広澤沢櫻桜國国眞真瀨瀬惠恵嶋島嶌島𠮷吉栁柳冨富渕淵曾曽萬万龍竜學学壽寿榮栄藪薮檜桧靜静條条關関鷗鴎ヵカヶケ〜~'
const usual = new Map(Array.from(pairs.matchAll(/(.)(.)/gu), ([, variant = '', kanji = '']) => [variant, kanji]))
const VARIANT = new RegExp(`[${[...usual.keys()].join('')}]`, 'gu')

export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ messages: Message }>
  for await (const { id, searchText } of rowsInBatches(db.selectFrom('messages').select(['id', 'searchText'])))
    await db
      .updateTable('messages')
      .set({ searchText: folded(searchText) })
      .where('id', '=', id)
      .execute()
}

function folded(text: string) {
  return text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\u2010-\u2015\u2212\u30fc]/g, '-')
    .replace(/[ぁ-ゖゝゞ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60))
    .replace(VARIANT, (variant) => usual.get(variant) ?? variant)
}
