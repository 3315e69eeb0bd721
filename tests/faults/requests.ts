/** Response to a request, or null without a complete response. */
export type Reply = { status: number; location: string; body: string } | null

type Sender = { cookie?: string; network?: string }
type Sent = Sender &
  ({ form: Record<string, string> } | { json: object; method?: string } | { picture: Buffer } | object)

const PATIENCE_MS = 20_000

/** Sends a form, a JSON document or an image as a browser does, or requests a page. */
export async function send(address: string, path: string, sent: Sent = {}): Promise<Reply> {
  const headers: Record<string, string> = { origin: address, 'x-forwarded-for': sent.network ?? '192.0.2.1' }
  if (sent.cookie) headers.cookie = sent.cookie
  let body: BodyInit | undefined
  let method = 'GET'
  if ('form' in sent) {
    method = 'POST'
    body = new URLSearchParams(sent.form)
  } else if ('json' in sent) {
    method = sent.method ?? 'POST'
    body = JSON.stringify(sent.json)
    headers['content-type'] = 'application/json'
  } else if ('picture' in sent) {
    method = 'POST'
    const form = new FormData()
    form.set('image', new Blob([Uint8Array.from(sent.picture)]), 'photo.png')
    body = form
  }
  try {
    const init = { method, headers, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) } as const
    const answer = await fetch(`${address}${path}`, body === undefined ? init : { ...init, body })
    return { status: answer.status, location: answer.headers.get('location') ?? '', body: await answer.text() }
  } catch {
    return null
  }
}
