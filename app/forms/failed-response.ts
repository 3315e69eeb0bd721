import { isRouteErrorResponse } from 'react-router'
import { NO_CONNECTION, SAVE_FAILED, type SaveResult } from './save-result.ts'

/**
 * Returns the error message and the status for a failed action response. Covers lost connections, proxy errors, refusals
 * before the action, and crashes.
 */
export function resultOfFailure(error: unknown): [answer: SaveResult, status: number] {
  const lost = { trouble: NO_CONNECTION, unanswered: true }
  // fetch() rejects with a TypeError if the connection fails.
  if (error instanceof TypeError) return [lost, 503]
  if (!isRouteErrorResponse(error)) return [{ trouble: SAVE_FAILED }, 500]
  const { status, data: said } = error
  // Refusals before an action are one line of Japanese.
  if (typeof said === 'string' && /^[^<\n]*[ぁ-ん][^<\n]*$/.test(said)) return [{ trouble: said }, status]
  return [status >= 502 ? lost : { trouble: SAVE_FAILED }, status]
}
