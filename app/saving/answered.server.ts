import type { Logger } from 'pino'
import { data, redirect } from 'react-router'
import type { Visitor } from '../permissions.ts'
import { logKey, type RequestContext } from '../request.ts'
import { SAVE_FAILED, type SaveAnswer } from './save-answer.ts'

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

/** Logs what went wrong, and puts the number under which the log tells more before the full stop of the sentence for it. */
export function withReference(sentence: string, log: Pick<Logger, 'error'>, err: unknown, saying: string) {
  const reference = crypto.randomUUID().slice(0, 8)
  log.error({ err, reference }, saying)
  return sentence.replace(/。?$/, (end) => `（受付番号 ${reference}）${end}`)
}

/** Logs what went wrong in a save, and gives the sentence for it. */
export function failed(context: RequestContext, error: unknown, sentence = SAVE_FAILED) {
  return withReference(sentence, context.get(logKey), error, 'save error')
}

// The router asks for a page's data, and sends its forms, under the page's address with this at its end.
function isAskedByScript(request: Request) {
  return new URL(request.url).pathname.endsWith('.data')
}

/** What the action answers or, where it fails, that it did. What it throws on purpose is thrown. */
export async function orFailed<Answer>(
  { request, context }: { request: Request; context: RequestContext },
  action: () => Promise<Answer>,
  sentence = SAVE_FAILED,
) {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return answered<SaveAnswer>(request, { trouble: failed(context, error, sentence) }, 500)
  }
}
