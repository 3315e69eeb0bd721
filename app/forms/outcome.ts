import type { Visitor } from '../permissions.ts'
import type { SaveResult } from './save-result.ts'

export type Outcome<Value, Details extends object = object> =
  | { ok: Value; error?: undefined }
  | { ok?: undefined; error: 'missing' }
  | ({ ok?: undefined; error: 'conflict' } & Details)

const statuses = { missing: 404, conflict: 409 }

const defaultMessages = {
  missing: '見つかりません。すでに削除されているようです。',
  conflict: 'ほかの方が先に変更しました。現在の内容をご確認ください。',
}

/** Error that ends an action and rolls back the transaction. `result` is the form response. */
export class Rejection extends Error {
  readonly result: SaveResult
  readonly status: number

  constructor(response: SaveResult | string, status = 409) {
    const result = typeof response === 'string' ? { trouble: response } : response
    super(result.trouble ?? 'invalid form')
    this.result = result
    this.status = status
  }
}

/** Returns the value of a successful change. Otherwise throws a `Rejection` with the message for the error. */
export function unwrap<Value>(outcome: Outcome<Value>, messages: Partial<typeof defaultMessages> = {}): Value {
  if (outcome.error) {
    const trouble = messages[outcome.error] ?? defaultMessages[outcome.error]
    throw new Rejection({ trouble, isOutdated: outcome.error === 'conflict' }, statuses[outcome.error])
  }
  return outcome.ok
}

export function denied(visitor: Visitor, sentence: string) {
  return new Rejection({ trouble: sentence, signIn: !visitor }, visitor ? 403 : 401)
}
