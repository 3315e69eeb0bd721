import type { Logger } from 'pino'
import { data, redirect } from 'react-router'
import { type Failure, failureOf } from '../../db/failure.ts'
import type { Visitor } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { failureWithReason, SAVE_FAILED, type SaveAnswer } from './save-answer.ts'

type Status = number | { status: number; headers?: HeadersInit }

/** Returns an action's response; without JavaScript, redirects to `withoutScripts`, by default `answer.to`. */
export function answered<Answer extends SaveAnswer>(
  request: Request,
  answer: Answer,
  status: Status = 200,
  withoutScripts = answer.to,
) {
  const init = typeof status === 'number' ? { status } : status
  if (withoutScripts !== undefined && !isAskedByScript(request))
    return redirect(withoutScripts, { headers: init.headers ?? {} })
  return data(answer, init)
}

export function refused(visitor: Visitor, sentence: string, intent?: string) {
  return data<SaveAnswer>(
    { ...(intent !== undefined && { intent }), trouble: sentence, signIn: !visitor },
    visitor ? 403 : 401,
  )
}

const givenUp: Record<Failure, string> = {
  busy: 'ただいま混み合っているため、受け付けられませんでした。少し待ってから、もう一度お試しください。',
  away: 'ただいまデータベースにつながらないため、受け付けられません。少し待ってから、もう一度お試しください。',
  full: 'サーバーのディスクに空きがないため、受け付けられませんでした。空きができたら、もう一度お試しください。',
  unwritable:
    'サーバーのディスクに書き込めないため、受け付けられませんでした。お手数ですが、お店の者にお知らせください。',
  readOnly:
    'データベースが読み取り専用になっているため、受け付けられませんでした。お手数ですが、お店の者にお知らせください。',
  unknown: '受け付けられたかどうかを、確かめられませんでした。少し待ってから、もう一度お試しください。',
}

// 507 is Insufficient Storage (RFC 4918).
function statusOf(failure: Failure): 503 | 507 {
  return ['full', 'unwritable', 'readOnly'].includes(failure) ? 507 : 503
}

/** Logs an error under a reference number. Returns its status and message: of the database failure, else `sentence`. */
export function failureInWords(sentence: string, log: Pick<Logger, 'error'>, err: unknown, saying: string) {
  const reference = crypto.randomUUID().slice(0, 8)
  log.error({ err, reference }, saying)
  const failure = failureOf(err)
  // If the outcome is unknown, the status is that of the cause.
  const why = (failure === 'unknown' && failureOf((err as Error).cause)) || failure
  return {
    status: why ? statusOf(why) : (500 as const),
    sentence: (failure ? givenUp[failure] : sentence).replace(/。?$/, (end) => `（受付番号 ${reference}）${end}`),
    unanswered: failure === 'unknown',
  }
}

/** Logs a failed save and returns its status and response; a database failure is appended to `failure`. */
export function failed(context: RequestContext, error: unknown, failure?: string): [number, SaveAnswer] {
  const { log } = contextOf(context)
  const { status, sentence, unanswered } = failureInWords(failure ?? SAVE_FAILED, log, error, 'save error')
  const trouble = failure && failureOf(error) ? failureWithReason(failure, sentence) : sentence
  return [status, { trouble, ...(unanswered && { unanswered }) }]
}

// The router requests data and submits forms at the page's URL with this suffix.
function isAskedByScript(request: Request) {
  return new URL(request.url).pathname.endsWith('.data')
}

/** Runs an action and turns an Error into an error response. Thrown responses pass through. */
export async function orFailed<Answer>(
  { request, context }: { request: Request; context: RequestContext },
  action: () => Promise<Answer>,
  failure?: string,
) {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const [status, answer] = failed(context, error, failure)
    return answered<SaveAnswer>(request, answer, status)
  }
}
