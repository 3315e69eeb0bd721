/** Response to a request, or null if no complete response was received. */
export type Reply = { status: number; location: string; body: string } | null

type Sender = { cookie?: string; network?: string }
type RequestOptions = Sender &
  ({ form: Record<string, string> } | { json: object; method?: string } | { image: Buffer } | object)

const RESPONSE_TIMEOUT_MS = Math.ceil(20_000 * Number(process.env.TEST_TIME_FACTOR ?? 1))

/** Sends a form, a JSON document or an image as a browser does, or requests a page. */
export async function send(address: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  const headers: Record<string, string> = { origin: address, 'x-forwarded-for': options.network ?? '192.0.2.1' }
  if (options.cookie) headers.cookie = options.cookie
  let body: BodyInit | undefined
  let method = 'GET'
  if ('form' in options) {
    method = 'POST'
    body = new URLSearchParams(options.form)
  } else if ('json' in options) {
    method = options.method ?? 'POST'
    body = JSON.stringify(options.json)
    headers['content-type'] = 'application/json'
  } else if ('image' in options) {
    method = 'POST'
    const form = new FormData()
    form.set('image', new Blob([Uint8Array.from(options.image)]), 'photo.png')
    body = form
  }
  try {
    const init = { method, headers, redirect: 'manual', signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) } as const
    const response = await fetch(`${address}${path}`, body === undefined ? init : { ...init, body })
    return { status: response.status, location: response.headers.get('location') ?? '', body: await response.text() }
  } catch {
    return null
  }
}
