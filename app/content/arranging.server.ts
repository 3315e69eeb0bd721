import type { Kysely } from 'kysely'
import { data, redirect } from 'react-router'
import type { Tables } from '../../db/tables.ts'
import { once } from '../history/once.server.ts'
import type { Author } from '../history/revision.ts'
import { mayEditCollection, refusedCollection } from '../permissions.ts'
import { authorOf, dbKey, logKey, type RequestContext, visitorKey } from '../request.ts'
import { readSite } from '../site/site.server.ts'
import { type Arranged, moved } from './arranging.ts'
import { type CollectionName, collections } from './content-item.ts'
import { markSoldOut, reorderContentItems } from './content-items.server.ts'

const SAVE_FAILED = 'データの保存に失敗しました。もう一度お試しください'
const NEWER = 'ほかの方が先に変更しました。いまの並びをご確認のうえ、もう一度お試しください'
const GONE = 'この料理は見つかりません。すでに削除されているようです'

/** The fields of the form of a new order. */
export const orderFields = ['intent', 'seen', 'wanted', 'up', 'down', 'once']

/** Takes the form of a new order: all of it (`wanted`), or one card a place `up` or `down` from where it was `seen`. */
export function takeOrder(context: RequestContext, form: FormData, collection: CollectionName) {
  return asMayEdit(context, collection, async ({ db, author }) => {
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
    const result = await once(db, sending, (trx) => reorderContentItems(trx, collection, { seen, wanted }, author))
    if (result.outcome === 'newer') return data<Arranged>({ failed: NEWER, newer: true }, { status: 409 })
    const query = new URLSearchParams(result.revision ? { done: 'reordered', undo: result.revision } : {})
    // A page without scripts goes on step by step.
    if (up || down) query.set('arrange', '')
    return redirect(`${collections[collection].path}?${query}`)
  })
}

/** Takes the form that says of a dish that it is sold out for today, or that it is not. */
export function takeSoldOut(context: RequestContext, form: FormData) {
  return asMayEdit(context, 'dining', async ({ db, author }) => {
    const soldOut = form.get('intent') === 'sold out'
    const { outcome } = await markSoldOut(db, String(form.get('id') ?? ''), soldOut, author)
    if (outcome !== 'saved') return data<Arranged>({ failed: GONE }, { status: 404 })
    return data<Arranged>({ done: soldOut ? '本日売り切れにしました' : '売り切れを取り消しました' })
  })
}

type World = { db: Kysely<Tables>; author: Author }

async function asMayEdit<Answer>(
  context: RequestContext,
  collection: CollectionName,
  work: (world: World) => Promise<Answer>,
) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const site = await readSite(db)
  if (!mayEditCollection(visitor, collection, site)) {
    return data<Arranged>({ refusal: refusedCollection(visitor, collection, site) }, { status: visitor ? 403 : 401 })
  }
  try {
    return await work({ db, author: authorOf(context) })
  } catch (error) {
    context.get(logKey).error({ err: error }, 'content save error')
    return data<Arranged>({ failed: SAVE_FAILED }, { status: 500 })
  }
}
