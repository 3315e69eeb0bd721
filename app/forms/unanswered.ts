import { data, isRouteErrorResponse } from 'react-router'
import type { Route } from '../+types/root.ts'
import { NO_CONNECTION, SAVE_FAILED, type SaveAnswer } from './save-answer.ts'

/**
 * Makes an answer of what came in the place of one, so that what was typed stays on the screen: no connection, a proxy
 * that says so, a refusal before any action read the form, a failure. Their statuses keep the router from reading the
 * page's data anew.
 */
export const answerInstead: Route.ClientMiddlewareFunction = async ({ request }, next) => {
  const results = await next()
  if (request.method === 'GET') return results
  for (const result of Object.values(results)) {
    // The router takes a redirect for an error until it has read it.
    if (result.type !== 'error' || result.result instanceof Response) continue
    const [answer, status] = instead(thrown(result.result))
    Object.assign(result, { type: 'data', result: data(answer, status) })
  }
  return results
}

// The router wraps what a fetch throws with the status of the answer that there was not.
function thrown(error: unknown) {
  const wrapped = error as { type?: string; data?: unknown }
  return wrapped?.type === 'DataWithResponseInit' ? wrapped.data : error
}

function instead(error: unknown): [SaveAnswer, number] {
  // fetch() rejects with a TypeError.
  if (!isRouteErrorResponse(error)) {
    return error instanceof TypeError
      ? [{ trouble: NO_CONNECTION, unanswered: true }, 503]
      : [{ trouble: SAVE_FAILED }, 500]
  }
  const { status, data: said } = error
  // Whatever the site refuses before an action is told in one line of Japanese.
  if (typeof said === 'string' && /^[^<\n]*[ぁ-ん][^<\n]*$/.test(said)) return [{ trouble: said }, status]
  if (status >= 502) return [{ trouble: NO_CONNECTION, unanswered: true }, status]
  return [{ trouble: SAVE_FAILED }, status]
}
