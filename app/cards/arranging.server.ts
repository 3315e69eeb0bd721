import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { answered, failed, refused } from '../forms/answered.server.ts'
import { once } from '../forms/once.server.ts'
import { SAVE_FAILED, undoOf } from '../forms/save-answer.ts'
import { mayEditCollection, refusedCollection } from '../permissions.ts'
import { seenIn } from '../records/own-saves.server.ts'
import { type Author, authorOf, contextOf, type RequestContext } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { type Arranged, moved } from './arranging.ts'
import { type CollectionName, collectionOf } from './card.ts'
import { markSoldOut, reorderCards } from './cards.server.ts'

const NEWER = 'ほかの方が先に変更しました。いまの並びをご確認のうえ、もう一度お試しください。'
const GONE = 'この料理は見つかりません。すでに削除されているようです。'

export const orderFields = ['intent', 'seen', 'wanted', 'up', 'down', 'once']

/** Handles the reorder form: a whole order (`wanted`), or one card moved `up` or `down` by a position in `seen`. */
export function receiveOrder(context: RequestContext, request: Request, form: FormData, collection: CollectionName) {
  return asMayEdit(context, request, { collection, intent: 'reorder' }, async (db, author) => {
    const ids = (name: string) => String(form.get(name) ?? '').split(',')
    const seen = ids('seen')
    const [up, down] = [String(form.get('up') ?? ''), String(form.get('down') ?? '')]
    const wanted = up || down ? moved(seen, up || down, up ? -1 : 1) : ids('wanted')
    const sending = {
      owner: author.accountId ?? '',
      form: `order ${collection}`,
      key: String(form.get('once') ?? '').slice(0, 64),
      at: author.at,
    }
    const order = { seen, wanted, own: seenIn(form).own }
    const result = await once(db, sending, (trx) => reorderCards(trx, collection, order, author))
    if (result.outcome === 'newer') return [{ trouble: NEWER, newer: true }, 409]
    const query = new URLSearchParams(result.save ? { done: 'reordered', undo: result.save } : {})
    // Without JavaScript, each step reloads the page, so `arrange` reopens the list.
    if (up || down) query.set('arrange', '')
    const saved = { done: '並び順を保存しました。', change: contextOf(context).live.lastChange() }
    const undo = result.save && { undo: undoOf(result.save) }
    return [{ ...saved, ...undo }, 200, `${collectionOf(collection).path}?${query}`]
  })
}

export function receiveSoldOut(context: RequestContext, request: Request, form: FormData) {
  const intent = String(form.get('intent'))
  return asMayEdit(context, request, { collection: 'dining', intent }, async (db, author) => {
    if (intent !== 'sold out' && intent !== 'not sold out') return [{ trouble: SAVE_FAILED }, 400]
    const soldOut = intent === 'sold out'
    const result = await markSoldOut(db, String(form.get('id') ?? ''), soldOut, author)
    if (result.outcome !== 'saved') return [{ trouble: GONE }, 404]
    return [{ done: soldOut ? '本日売り切れにしました。' : '売り切れを取り消しました。', save: result.save }, 200]
  })
}

type Result = [answer: Arranged, status: number, withoutScripts?: string]

async function asMayEdit(
  context: RequestContext,
  request: Request,
  { collection, intent }: { collection: CollectionName; intent: string },
  work: (db: Kysely<Tables>, author: Author) => Promise<Result>,
) {
  const { db, visitor } = contextOf(context)
  const site = await readSite(db)
  if (!mayEditCollection(visitor, collection, site)) {
    return refused(visitor, refusedCollection(visitor, collection, site), intent)
  }
  const [answer, status, withoutScripts] = await work(db, authorOf(context)).catch((error): Result => {
    const [status, said] = failed(context, error)
    return [said, status]
  })
  return answered<Arranged>(request, { intent, ...answer }, status, withoutScripts)
}
