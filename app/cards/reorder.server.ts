import type { Submission } from '../forms/form-action.server.ts'
import { runOnce, submissionKeyOf } from '../forms/idempotency.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { SAVE_FAILED, undoOf } from '../forms/save-result.ts'
import type { CollectionName } from './card.ts'
import { markSoldOut, reorderCards } from './cards.server.ts'
import type { ReorderResult } from './reorder.ts'

const CONFLICT = 'ほかの方が先に変更しました。現在の並び順をご確認のうえ、もう一度お試しください。'
const MISSING = 'この料理は見つかりません。すでに削除されているようです。'

export const orderFields = ['intent', 'seen', 'wanted', 'once']

export async function reorder(
  submission: Submission,
  collection: CollectionName,
): Promise<ReorderResult & { status: number }> {
  const { db, author, field, live, seen } = submission
  const order = { seen: field('seen').split(','), wanted: field('wanted').split(','), own: seen.own }
  const submissionKey = submissionKeyOf(submission, `order ${collection}`)
  const result = await runOnce(db, submissionKey, (trx) => reorderCards(trx, collection, order, author))
  if (result.error) return { trouble: CONFLICT, newer: true, status: 409 }
  const saved = { done: '並び順を保存しました。', change: live.lastChange() }
  return { ...saved, ...(result.ok && { undo: undoOf(result.ok) }), status: 200 }
}

export async function switchSoldOut({ db, intent, field, author }: Submission): Promise<ReorderResult> {
  if (intent !== 'sold out' && intent !== 'not sold out') throw new Rejection(SAVE_FAILED, 400)
  const soldOut = intent === 'sold out'
  const save = unwrap(await markSoldOut(db, field('id'), soldOut, author), { missing: MISSING })
  return { done: soldOut ? '本日売り切れにしました。' : '売り切れを取り消しました。', save }
}
