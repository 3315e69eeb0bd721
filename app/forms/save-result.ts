export type FieldErrors = Record<string, string[]>

/** Response of a form's action. Only `done` reports a completed change; `trouble` is an error message. */
export type SaveResult = {
  intent?: string
  done?: string
  undo?: Undo
  /** The ID of the save, if `undo` does not contain it. */
  save?: string | null
  to?: string
  trouble?: string
  signIn?: boolean
  errors?: FieldErrors
  /** Submitted values, for the page that the server renders again without JavaScript. */
  values?: Record<string, string>
  /** Whether the response was lost, so that the save may have succeeded. */
  unanswered?: boolean
}

export type Undo = { action: string; fields: Record<string, string> }

export function undoOf(save: string): Undo {
  return { action: '/undo', fields: { save } }
}

export const NO_CONNECTION = '通信エラーが発生しました。つながってから、もう一度お試しください。'
/** The specification's message for a failed save of hours; `failureWithReason` appends the reason. */
export const SAVE_FAILED = 'データの保存に失敗しました。もう一度お試しください'

/** Returns the message with the reason in place of its own end: 「…に失敗しました。通信エラーが…」. */
export function failureWithReason(sentence: string, reason: string) {
  return sentence.replace(/^([^。]*)(。詳細: |。)?.*$/, (_, failure, end = '。') => `${failure}${end}${reason}`)
}
