import { isIP } from 'node:net'
import type { Settings } from './settings.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether an address to listen on is reached from this machine only. */
export function isLoopback(host: string) {
  return loopback.test(host) || host === '::1'
}

/**
 * The site's own origin for this request: PUBLIC_ORIGIN where it is set; else the request's Host, where that is this
 * machine or the site was opened to the network. Null for any other Host.
 */
export function originOf(request: Request, { publicOrigin, host }: Pick<Settings, 'publicOrigin' | 'host'>) {
  if (publicOrigin) return publicOrigin
  const asked = new URL(request.url)
  return isLoopback(asked.hostname) || !isLoopback(host) ? `http://${asked.host}` : null
}

/**
 * The origin of the links in mails: PUBLIC_ORIGIN or, while only this machine can connect, that of the request. The Host
 * of any other request may be a stranger's, so what the operator set takes its place.
 */
export function mailOriginOf(requested: string, settings: Pick<Settings, 'publicOrigin' | 'host' | 'port'>) {
  const { publicOrigin, host, port } = settings
  if (publicOrigin || isLoopback(host)) return publicOrigin ?? requested
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`
}

/** Whether a request that changes something comes from a page of ours; a foreign or `null` Origin does not. */
export function isFromOwnPage(request: Request, origin: string) {
  const sender = request.headers.get('origin')
  if (sender !== null) return sender === origin
  const site = request.headers.get('sec-fetch-site')
  return site === null || site === 'same-origin' || site === 'none'
}

/**
 * The network address of who asks: the sender of the connection or, where that is a proxy of ours, what the proxies say
 * of theirs. Read from the right, since a visitor can write anything on the left. Null where the connection has none.
 */
export function addressOf(request: Request, sender: string | undefined, trustedProxies: readonly string[]) {
  const said = request.headers.get('x-forwarded-for')?.split(',') ?? []
  let address = plain(sender)
  while (address !== null && trustedProxies.includes(address) && said.length > 0) address = plain(said.pop())
  return address
}

// An IPv4 sender on a socket that listens to both reads ::ffff:192.0.2.1.
function plain(address: string | undefined) {
  const bare = address?.trim().replace(/^::ffff:(?=\d+\.)/i, '') ?? ''
  return isIP(bare) === 0 ? null : bare
}
