import { ECDH } from 'node:crypto'
import { z } from 'zod'
import { isPostgres } from '../../db/engine.ts'
import type { Db } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Submission } from '../forms/form-action.server.ts'
import { denied, Rejection } from '../forms/outcome.ts'
import { mayBeNotified, type Visitor } from '../permissions.ts'
import { pushFieldOf, pushKindNames } from './push-kinds.ts'
import { isPushService } from './push-services.ts'

const MAX_PUSH_DEVICES = 20

type Session = { id: string; accountId: string }

/** The subscription of a browser. The keys are an uncompressed point of P-256 and 16 bytes, in base64url. */
const Subscription = z.object({
  endpoint: z.string().max(2048),
  p256dh: z.string().length(87).refine(isPoint),
  auth: z.string().regex(/^[\w-]{21}[AQgw]$/),
})

function isPoint(text: string) {
  try {
    return ECDH.convertKey(text, 'prime256v1', 'base64url', 'base64url', 'uncompressed') === text
  } catch {
    return false
  }
}

export function pushKindsFor(visitor: Visitor) {
  return pushKindNames.filter((kind) => mayBeNotified(visitor, kind))
}

/** Returns the devices of an account without their keys, the newest first. */
export async function listPushDevices(db: Db, accountId: string) {
  return db
    .selectFrom('pushDevices')
    .select(['id', 'sessionId', 'endpoint', 'name', 'kinds', 'createdAt'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt', 'desc')
    .execute()
}

/**
 * Adds the browser that sent the form. From now on, the browser belongs only to this account. A browser that the
 * account added before keeps its ID and its kinds.
 */
export async function addPushDevice(
  { db, form, visitor, author, pushServices }: Submission,
  { id: sessionId, accountId }: Session,
  name: string,
) {
  const allowedKinds = requirePushKinds(visitor)
  const { data } = Subscription.safeParse(Object.fromEntries(form))
  if (!data || !isPushService(data.endpoint, pushServices)) throw new Rejection(UNKNOWN_SERVICE, 400)
  const { endpoint, p256dh: publicKey, auth: authSecret } = data
  await inTransaction(db, async (trx) => {
    // The lock delays the end of the session, which then deletes the device.
    const session = trx.selectFrom('sessions').select('id').where('id', '=', sessionId)
    if (!(await session.$if(isPostgres(trx), (query) => query.forUpdate()).executeTakeFirst()))
      throw denied(null, SIGN_IN_AGAIN)
    const replaced = await trx
      .deleteFrom('pushDevices')
      .where((eb) => eb.or([eb('endpoint', '=', endpoint), eb('sessionId', '=', sessionId)]))
      .returning(['accountId', 'id', 'kinds'])
      .execute()
    const { id = crypto.randomUUID(), kinds = allowedKinds.join(' ') } =
      replaced.find((device) => device.accountId === accountId) ?? {}
    await trx
      .insertInto('pushDevices')
      .values({ id, accountId, sessionId, endpoint, publicKey, authSecret, name, kinds, createdAt: author.at })
      .execute()
    for (const { id } of (await listPushDevices(trx, accountId)).slice(MAX_PUSH_DEVICES))
      await removePushDevice(trx, accountId, id)
  })
  return { done: 'この端末に通知が届くようになりました。届くものは、ここで選べます。' }
}

const SIGN_IN_AGAIN = 'もう一度ログインしてください。'
const NO_KINDS = '通知を受け取れるのは、スタッフと承認されたメンバーだけです。'
const UNKNOWN_SERVICE =
  'このブラウザの通知には対応していません。ほかのブラウザ（Chrome、Edge、Firefox、Safari）でお試しください。'

export async function savePushKinds({ db, field, visitor }: Submission, { accountId }: Session) {
  const offeredKinds = requirePushKinds(visitor)
  const saved = await inTransaction(db, async (trx) => {
    const ownDevices = trx.selectFrom('pushDevices').select(['id', 'kinds']).where('accountId', '=', accountId)
    const device = await ownDevices.where('id', '=', field('device')).executeTakeFirst()
    if (!device) return false
    // The form has no fields for the kinds of the circle while the member rests, so they must not change.
    const stored = device.kinds.split(' ')
    const kinds = pushKindNames.filter((kind) =>
      offeredKinds.includes(kind) ? field(pushFieldOf(kind)) === 'on' : stored.includes(kind),
    )
    const row = trx.updateTable('pushDevices').where('id', '=', device.id)
    await row.set({ kinds: kinds.join(' ') }).execute()
    return true
  })
  if (!saved) throw new Rejection('この端末の通知は、すでに止められています。ページを開き直してください。', 404)
  return { done: '届く通知を保存しました。' }
}

function requirePushKinds(visitor: Visitor) {
  const kinds = pushKindsFor(visitor)
  if (kinds.length === 0) throw denied(visitor, NO_KINDS)
  return kinds
}

export async function removePushDevice(db: Db, accountId: string, id: string) {
  await db.deleteFrom('pushDevices').where('accountId', '=', accountId).where('id', '=', id).execute()
}
