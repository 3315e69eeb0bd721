import type { Logger } from 'pino'
import { data, redirect } from 'react-router'
import { type Failure, failureOf } from '../../db/failure.ts'
import type { Visitor } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { failureWithReason, SAVE_FAILED, type SaveAnswer } from './save-answer.ts'

type Status = number | { status: number; headers?: HeadersInit }

/**
 * An answer to a form as its action gives it. A page with scripts goes itself where it says; one without is sent there, or
 * to the address that is meant for those alone.
 */
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

/** The answer to someone who may not do it: `sentence` says who may. Its status is 401 for a guest, 403 for anyone else. */
export function refused(visitor: Visitor, sentence: string, intent?: string) {
  return data<SaveAnswer>(
    { ...(intent !== undefined && { intent }), trouble: sentence, signIn: !visitor },
    visitor ? 403 : 401,
  )
}

// 507 is Insufficient Storage (RFC 4918).
const givenUp: Record<Failure, { status: 503 | 507; sentence: string }> = {
  busy: {
    status: 503,
    sentence: 'ただいま混み合っているため、受け付けられませんでした。少し待ってから、もう一度お試しください。',
  },
  away: {
    status: 503,
    sentence: 'ただいまデータベースにつながらないため、受け付けられません。少し待ってから、もう一度お試しください。',
  },
  full: {
    status: 507,
    sentence: 'サーバーのディスクに空きがないため、受け付けられませんでした。空きができたら、もう一度お試しください。',
  },
  unwritable: {
    status: 507,
    sentence:
      'サーバーのディスクに書き込めないため、受け付けられませんでした。お手数ですが、お店の者にお知らせください。',
  },
  readOnly: {
    status: 507,
    sentence:
      'データベースが読み取り専用になっているため、受け付けられませんでした。お手数ですが、お店の者にお知らせください。',
  },
  unknown: {
    status: 503,
    sentence: '受け付けられたかどうかを、確かめられませんでした。少し待ってから、もう一度お試しください。',
  },
}

/**
 * Logs what went wrong, and says it with its status: what the database gave up by its reason, all else by the `sentence`;
 * with the number under which the log tells more.
 */
export function failureInWords(sentence: string, log: Pick<Logger, 'error'>, err: unknown, saying: string) {
  const reference = crypto.randomUUID().slice(0, 8)
  log.error({ err, reference }, saying)
  const failure = failureOf(err)
  const said = failure ? givenUp[failure] : { status: 500 as const, sentence }
  // Where nobody knows, what is known is why.
  const why = failure === 'unknown' && failureOf((err as Error).cause)
  return {
    status: why ? givenUp[why].status : said.status,
    sentence: said.sentence.replace(/。?$/, (end) => `（受付番号 ${reference}）${end}`),
    unanswered: failure === 'unknown',
  }
}

/**
 * Logs what went wrong in a save, and gives the status and the answer for it. A `failure` that is given, as the
 * specification's sentence of this save, is told with any reason.
 */
export function failed(context: RequestContext, error: unknown, failure?: string): [number, SaveAnswer] {
  const { log } = contextOf(context)
  const { status, sentence, unanswered } = failureInWords(failure ?? SAVE_FAILED, log, error, 'save error')
  const trouble = failure && failureOf(error) ? failureWithReason(failure, sentence) : sentence
  return [status, { trouble, ...(unanswered && { unanswered }) }]
}

// The router asks for a page's data, and sends its forms, under the page's address with this at its end.
function isAskedByScript(request: Request) {
  return new URL(request.url).pathname.endsWith('.data')
}

/** What the action answers or, where it fails, that it did. What it throws on purpose is thrown. */
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
