import { renderToReadableStream } from 'react-dom/server.edge'
import { type EntryContext, type HandleErrorFunction, isRouteErrorResponse, ServerRouter } from 'react-router'
import { logKey } from './request.ts'

/** Renders the whole document before the first byte leaves, so that its inline scripts can be hashed and the page cached. */
export default async function handleRequest(request: Request, status: number, headers: Headers, context: EntryContext) {
  const stream = await renderToReadableStream(<ServerRouter context={context} url={request.url} />, {
    signal: request.signal,
    onError: (error) => {
      // Whoever asked has gone: nobody needs to hear of it.
      if (!request.signal.aborted) console.error(error)
    },
    // Else a larger part that came later would be put in its place by a script.
    progressiveChunkSize: Number.POSITIVE_INFINITY,
  })
  await stream.allReady
  headers.set('content-type', 'text/html; charset=utf-8')
  return new Response(stream, { status, headers })
}

/** A page that could not be made is told in the log; what is refused is told there by its status already. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  const refused = isRouteErrorResponse(error) && error.status < 500
  if (!refused && !request.signal.aborted) context.get(logKey).error({ err: error }, 'page not made')
}
