import { createHash } from 'node:crypto'
import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Submission } from './form-action.server.ts'
import { Rejection } from './outcome.ts'

const FROM_EARLIER_VERSION =
  'この内容は、サイトの更新前に受け付けたようです。ページを再読み込みして、現在の内容をご確認ください。'
const OTHER_CONTENT =
  '通信が切れる前に送った内容が、すでに届いています。いまの内容はまだ保存していません。保存済みの内容をご確認のうえ、よろしければもう一度お送りください。'
const RETENTION_MS = 7 * 24 * 60 * 60 * 1000

/**
 * A form submission. `owner` is an account ID or a substitute ID for guests. `key` is the idempotency key. `content` is
 * a hash of the submitted fields.
 */
export type SubmissionKey = { owner: string; form: string; key: string; at: string; content?: string | undefined }

/** Returns the key of a submission of the form `name`. `once` is the key that the browser has generated. */
export function submissionKeyOf(
  { form, field, author }: Pick<Submission, 'form' | 'field' | 'author'>,
  name: string,
  once = field('once'),
): SubmissionKey {
  const key = once.slice(0, 64)
  return { owner: author.accountId ?? '', form: name, key, at: author.at, content: hashContent(form) }
}

// A repeated submission of unchanged input may differ in these fields.
const VARIABLE_FIELDS = ['once', 'own', 'version', 'intent']

function hashContent(form: FormData) {
  const fields = [...form].filter(([name]) => !VARIABLE_FIELDS.includes(name))
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url')
}

/**
 * Runs `work` once per key. A repeated submission returns the first result, parsed from JSON. If its content differs
 * from the first one, throws a `Rejection`. If `work` throws or returns the error of an `Outcome`, the key stays unused.
 * If the key is empty, `work` always runs.
 */
export function runOnce<T>(
  db: Db,
  { owner, form, key: submittedKey, at, content }: SubmissionKey,
  work: (trx: Trx) => Promise<T>,
) {
  if (!submittedKey) return inTransaction(db, work)
  // Different forms may send the same key.
  const key = `${form} ${submittedKey}`
  return inTransaction(db, async (trx): Promise<T> => {
    const first = await trx
      .insertInto('onceKeys')
      .values({ owner, key, result: '', at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst()
    if (!first) {
      const { result } = await trx
        .selectFrom('onceKeys')
        .select('result')
        .where((row) => row.and({ owner, key }))
        .executeTakeFirstOrThrow()
      const stored: unknown = JSON.parse(result)
      if (!isResult<T>(stored)) throw new Rejection(FROM_EARLIER_VERSION)
      // Earlier versions of the site stored no content.
      if (stored.content !== undefined && stored.content !== content)
        throw new Rejection({ trouble: OTHER_CONTENT, isOutdated: true })
      return stored.result
    }
    const result = await work(trx)
    if (isError(result)) {
      await trx.deleteFrom('onceKeys').where('owner', '=', owner).where('key', '=', key).execute()
      return result
    }
    await trx
      .updateTable('onceKeys')
      .set({ result: JSON.stringify({ result: result ?? null, content }) })
      .where((row) => row.and({ owner, key }))
      .execute()
    const expired = new Date(Date.parse(at) - RETENTION_MS).toISOString()
    await trx.deleteFrom('onceKeys').where('at', '<', expired).execute()
    return result
  })
}

/** Whether a submission with this key has succeeded before. */
export async function wasHandled(db: Db, { owner, form, key }: SubmissionKey) {
  const stored = db.selectFrom('onceKeys').select('key').where('owner', '=', owner).where('key', '=', `${form} ${key}`)
  return key !== '' && Boolean(await stored.executeTakeFirst())
}

function isError(result: unknown) {
  return typeof result === 'object' && result !== null && 'error' in result && result.error !== undefined
}

// Earlier versions of the site stored results in other formats.
function isResult<T>(stored: unknown): stored is { result: T; content?: string } {
  return typeof stored === 'object' && stored !== null && 'result' in stored
}
