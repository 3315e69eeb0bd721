import { Writable } from 'node:stream'
import type { ReactNode } from 'react'
import { renderToPipeableStream } from 'react-dom/server.node'
import { type EntryContext, type HandleErrorFunction, isRouteErrorResponse, ServerRouter } from 'react-router'
import { contextOf } from './request.ts'

/** Renders the whole document before the first byte leaves, so that its inline scripts can be hashed and the page cached. */
export default async function handleRequest(request: Request, status: number, headers: Headers, context: EntryContext) {
  const document = await rendered(<ServerRouter context={context} url={request.url} />, request.signal)
  headers.set('content-type', 'text/html; charset=utf-8')
  return new Response(document, { status, headers })
}

// Into one buffer, since nobody reads it piece by piece.
function rendered(page: ReactNode, signal: AbortSignal) {
  return new Promise<Buffer<ArrayBuffer>>((resolve, reject) => {
    const chunks: Buffer[] = []
    const into = new Writable({
      write: (chunk, _, done) => done(void chunks.push(chunk)),
      final: (done) => done(void resolve(Buffer.concat(chunks))),
    })
    const { pipe, abort } = renderToPipeableStream(page, {
      onAllReady: () => pipe(into),
      onShellError: reject,
      onError: (error) => {
        // Whoever asked has gone: nobody needs to hear of it.
        if (!signal.aborted) console.error(error)
      },
      // Else a larger part that came later would be put in its place by a script.
      progressiveChunkSize: Number.POSITIVE_INFINITY,
    })
    if (signal.aborted) abort(signal.reason)
    else signal.addEventListener('abort', () => abort(signal.reason), { once: true })
  })
}

/** A page that could not be made is told in the log; what is refused is told there by its status already. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  const refused = isRouteErrorResponse(error) && error.status < 500
  if (!refused && !request.signal.aborted) contextOf(context).log.error({ err: error }, 'page not made')
}
