import { data, isRouteErrorResponse } from 'react-router'
import type { Route } from '../+types/root.ts'
import { NO_CONNECTION, SAVE_FAILED, type SaveAnswer } from './save-answer.ts'

/**
 * Replaces a failed action response with an error message, so that the input stays on screen. Covers lost connections,
 * proxy errors, refusals before the action, and crashes. The error status stops the router from revalidating.
 */
export const answerInstead: Route.ClientMiddlewareFunction = async ({ request }, next) => {
  const results = await next()
  if (request.method === 'GET') return results
  for (const result of Object.values(results)) {
    // At this point, the router still represents a redirect as an error.
    if (result.type !== 'error' || result.result instanceof Response) continue
    const [answer, status] = instead(thrown(result.result))
    Object.assign(result, { type: 'data', result: data(answer, status) })
  }
  return results
}

// The router wraps an error that fetch throws in a made-up response.
function thrown(error: unknown) {
  const wrapped = error as { type?: string; data?: unknown }
  return wrapped?.type === 'DataWithResponseInit' ? wrapped.data : error
}

function instead(error: unknown): [SaveAnswer, number] {
  const lost = { trouble: NO_CONNECTION, unanswered: true }
  // fetch() rejects with a TypeError if the connection fails.
  if (error instanceof TypeError) return [lost, 503]
  if (!isRouteErrorResponse(error)) return [{ trouble: SAVE_FAILED }, 500]
  const { status, data: said } = error
  // Refusals before an action are one line of Japanese.
  if (typeof said === 'string' && /^[^<\n]*[ぁ-ん][^<\n]*$/.test(said)) return [{ trouble: said }, status]
  return [status >= 502 ? lost : { trouble: SAVE_FAILED }, status]
}
