import type { Logger } from 'pino'
import { type Failure, failureOf } from '../../db/failure.ts'
import { t } from '../languages/language.ts'

const failureMessages: Record<Failure, string> = {
  busy: 'ただいま混み合っているため、受け付けられませんでした。少し待ってから、もう一度お試しください。',
  away: 'ただいまデータベースにつながらないため、受け付けられません。少し待ってから、もう一度お試しください。',
  full: 'サーバーのディスクに空きがないため、受け付けられませんでした。お手数ですが、お店へご連絡ください。',
  unwritable: 'サーバーのディスクに書き込めないため、受け付けられませんでした。お手数ですが、お店へご連絡ください。',
  readOnly:
    'データベースが読み取り専用になっているため、受け付けられませんでした。お手数ですが、お店へご連絡ください。',
  unknown: '受け付けられたかどうかを確認できませんでした。少し待ってから、もう一度お試しください。',
}

// 507 is Insufficient Storage (RFC 4918).
function statusOf(failure: Failure): 503 | 507 {
  return ['full', 'unwritable', 'readOnly'].includes(failure) ? 507 : 503
}

/** Logs an error with a reference number. Returns a status and the message of the database failure, or `sentence`. */
export function reportFailure(sentence: string, log: Pick<Logger, 'error'>, err: unknown, logMessage: string) {
  const reference = crypto.randomUUID().slice(0, 8)
  log.error({ err, reference }, logMessage)
  const failure = failureOf(err)
  // If the outcome of the save is unknown, the cause of the error determines the status.
  const cause = (failure === 'unknown' && failureOf((err as Error).cause)) || failure
  return {
    status: cause ? statusOf(cause) : (500 as const),
    sentence: t(failure ? failureMessages[failure] : sentence).replace(
      /[。.]?$/,
      (end) => t('（受付番号 {reference}）', { reference }) + end,
    ),
    unanswered: failure === 'unknown',
  }
}
