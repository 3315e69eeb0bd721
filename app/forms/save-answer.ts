/** The sentences for a field, by the field's name. */
export type FieldErrors = Record<string, string[]>

/** What a form's action says of what was sent. A page adds what else it tells; nothing of it is an accomplished fact but `done`. */
export type SaveAnswer = {
  /** Which of the page's forms it was. */
  intent?: string
  /** What was done. */
  done?: string
  /** The form by which that is taken back. */
  undo?: Undo
  /** The ID of the save, if `undo` does not carry it. */
  save?: string | null
  /** The address where the person goes on. */
  to?: string
  /** Why nothing was done. */
  trouble?: string
  /** Whether signing in would help. */
  signIn?: boolean
  errors?: FieldErrors
  /** What was sent: for a page without scripts, which is made anew. */
  values?: Record<string, string>
  /** Whether nothing came back: what was sent may have been done. */
  unanswered?: boolean
}

/** A form that takes back what was done, ready to be sent. */
export type Undo = { action: string; fields: Record<string, string> }

/** The form by which a save is taken back. */
export function undoOf(save: string): Undo {
  return { action: '/undo', fields: { save } }
}

export const NO_CONNECTION = '通信エラーが発生しました。つながってから、もう一度お試しください。'
/** The specification's sentence for a failed save of hours; `failureWithReason` puts the known reason behind it. */
export const SAVE_FAILED = 'データの保存に失敗しました。もう一度お試しください'

/** Returns the failure sentence with the reason in place of its own end: 「…に失敗しました。通信エラーが…」. */
export function failureWithReason(sentence: string, reason: string) {
  return sentence.replace(/^([^。]*)(。詳細: |。)?.*$/, (_, failure, end = '。') => `${failure}${end}${reason}`)
}
