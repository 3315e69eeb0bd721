import { isRouteErrorResponse } from 'react-router'
import { NO_CONNECTION, SAVE_FAILED, type SaveResult } from './save-result.ts'

/** Returns the response and the status for a lost connection, a proxy error, a crash, or an early rejection. */
export function resultOfFailure(error: unknown): [answer: SaveResult, status: number] {
  const lostConnection = { trouble: NO_CONNECTION, unanswered: true }
  // fetch() rejects with a TypeError if the connection fails.
  if (error instanceof TypeError) return [lostConnection, 503]
  if (!isRouteErrorResponse(error)) return [{ trouble: SAVE_FAILED }, 500]
  const { status, data: message } = error
  // If the server rejects a request before the action, the response body is one line of Japanese.
  if (typeof message === 'string' && /^[^<\n]*[ぁ-ん][^<\n]*$/.test(message)) return [{ trouble: message }, status]
  return [status >= 502 ? lostConnection : { trouble: SAVE_FAILED }, status]
}
