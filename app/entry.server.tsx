import { Writable } from 'node:stream'
import type { ReactNode } from 'react'
import { renderToPipeableStream } from 'react-dom/server.node'
import { type EntryContext, type HandleErrorFunction, isRouteErrorResponse, ServerRouter } from 'react-router'
import { contextOf } from './request.ts'

/** Renders the whole document first, so that its inline scripts can be hashed and the page cached. */
export default async function handleRequest(request: Request, status: number, headers: Headers, context: EntryContext) {
  const document = await renderDocument(<ServerRouter context={context} url={request.url} />, request.signal)
  headers.set('content-type', 'text/html; charset=utf-8')
  return new Response(document, { status, headers })
}

function renderDocument(page: ReactNode, signal: AbortSignal) {
  return new Promise<Buffer<ArrayBuffer>>((resolve, reject) => {
    const chunks: Buffer[] = []
    const sink = new Writable({
      write: (chunk, _, done) => done(void chunks.push(chunk)),
      final: (done) => done(void resolve(Buffer.concat(chunks))),
    })
    const { pipe, abort } = renderToPipeableStream(page, {
      onAllReady: () => pipe(sink),
      onShellError: reject,
      onError: (error) => {
        // After an abort the response is discarded, so the error is not logged.
        if (!signal.aborted) console.error(error)
      },
      // Otherwise React would stream large boundaries later and insert them by an inline script.
      progressiveChunkSize: Number.POSITIVE_INFINITY,
    })
    if (signal.aborted) abort(signal.reason)
    else signal.addEventListener('abort', () => abort(signal.reason), { once: true })
  })
}

/** Logs pages that failed to render. Responses below 500 are already logged with their status. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  const isClientError = isRouteErrorResponse(error) && error.status < 500
  if (!isClientError && !request.signal.aborted) contextOf(context).log.error({ err: error }, 'page rendering failed')
}
