import { t } from '../languages/language.ts'

export type FieldErrors = Record<string, string[]>

/** Response of a form action. Only `done` reports a completed change. `trouble` is an error message. */
export type SaveResult = {
  intent?: string
  done?: string
  undo?: Undo
  /** A link to a sensible next step after the save. */
  next?: NextLink
  /** ID of the save. Set if `undo` does not contain the ID. */
  save?: string | null
  to?: string
  trouble?: string
  signIn?: boolean
  errors?: FieldErrors
  /** Submitted values, which the server renders again for a page without JavaScript. */
  values?: Record<string, string>
  /** Whether the response was lost. In that case, the save may have succeeded. */
  unanswered?: boolean
  /** Whether the page may show old data, so that the browser loads the data again. */
  isOutdated?: boolean
}

export type NextLink = { to: string; label: string }

export type Undo = { action: string; fields: Record<string, string> }

export function undoOf(save: string): Undo {
  return { action: '/undo', fields: { save } }
}

export const NO_CONNECTION = '通信エラーが発生しました。つながってから、もう一度お試しください。'
/** Error message of the specification for a failed save of opening hours. `failureWithReason` appends the reason. */
export const SAVE_FAILED = 'データの保存に失敗しました。もう一度お試しください'

/** Returns the message, with its end replaced by the reason: 「…に失敗しました。通信エラーが…」. */
export function failureWithReason(sentence: string, reason: string) {
  return sentence.replace(/^([^。]*)(。詳細: |。)?.*$/, (_, failure, end = t('。')) => `${failure}${end}${reason}`)
}
