const MAX_BYTES = 256 * 1024

/** Fetches a text of at most 256 KB. Throws if the text is incomplete after `timeoutMs` or the status is not 2xx. */
export async function fetchText(url: string, { timeoutMs, ...init }: RequestInit & { timeoutMs: number }) {
  const response = await fetch(url, {
    ...init,
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: 'application/json', ...init.headers },
  })
  if (!response.ok || !response.body)
    throw new Error(`fetchText: ${url} returned status ${response.status}, expected 2xx with a body`)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`fetchText: ${url} returned more than ${MAX_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Returns the message and the error code of a failed fetch. Node puts the code into the `cause` of the error. */
export function causeOf(error: unknown) {
  const { message, cause } = error as Error
  return [message, (cause as { code?: string } | undefined)?.code].filter(Boolean).join(': ')
}
