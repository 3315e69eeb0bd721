import { data, isRouteErrorResponse } from 'react-router'

/** For a reader, where a page has no better words for it. */
export const UNANSWERED = '通信エラーが発生しました。つながってから、もう一度お試しください。'

/**
 * What a server's action answers or, where no answer came from it, `instead`: what was typed stays on the screen then.
 * Its status, 503, keeps React Router from reading the page's data, which could not be reached either.
 */
export async function orUnanswered<Answer, Instead>(serverAction: () => Promise<Answer>, instead: Instead) {
  try {
    return await serverAction()
  } catch (error) {
    if (!isUnanswered(error)) throw error
    return data(instead, 503)
  }
}

// fetch() rejects with a TypeError; a proxy says in the site's place that it cannot be reached, and the site itself, before
// any action reads it, that what was sent stopped on the way, is too large, or comes when too much does.
function isUnanswered(error: unknown) {
  return (
    error instanceof TypeError ||
    (isRouteErrorResponse(error) && (error.status >= 502 || [408, 413, 429].includes(error.status)))
  )
}
