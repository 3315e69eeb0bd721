const SIZE_LIMIT = 256 * 1024

/** Fetches a text of at most 256 KB. Throws if the text is incomplete after `timeoutMs` or the status is not 2xx. */
export async function fetchText(url: string, { timeoutMs, ...init }: RequestInit & { timeoutMs: number }) {
  const response = await fetch(url, {
    ...init,
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: 'application/json', ...init.headers },
  })
  if (!response.ok || !response.body) throw new Error(`The source answered ${response.status}`)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > SIZE_LIMIT) throw new Error(`The source sent more than ${SIZE_LIMIT} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
