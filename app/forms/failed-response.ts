import { isRouteErrorResponse } from 'react-router'
import { NO_CONNECTION, SAVE_FAILED, type SaveResult } from './save-result.ts'

/**
 * Returns the error message and the status for a failed action response. Covers lost connections, proxy errors, refusals
 * before the action, and crashes.
 */
export function resultOfFailure(error: unknown): [answer: SaveResult, status: number] {
  const lostConnection = { trouble: NO_CONNECTION, unanswered: true }
  // fetch() rejects with a TypeError if the connection fails.
  if (error instanceof TypeError) return [lostConnection, 503]
  if (!isRouteErrorResponse(error)) return [{ trouble: SAVE_FAILED }, 500]
  const { status, data: message } = error
  // Refusals before an action are one line of Japanese.
  if (typeof message === 'string' && /^[^<\n]*[ぁ-ん][^<\n]*$/.test(message)) return [{ trouble: message }, status]
  return [status >= 502 ? lostConnection : { trouble: SAVE_FAILED }, status]
}
