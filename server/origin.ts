import { isIP, isIPv6 } from 'node:net'
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

// Names and networks that no visitor from outside reaches: a proxy that does not pass the visitor's Host on writes these.
const INTERNAL = new RegExp(
  `^(?:${[
    '[^.:]+',
    '.*\\.(?:local|localhost|internal|lan|home\\.arpa)',
    '(?:0|10|127|169\\.254|192\\.168|172\\.(?:1[6-9]|2\\d|3[01])|100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7]))\\.[\\d.]+',
    '\\[(?:::|f[cd]|fe[89ab]).*',
  ].join('|')})$`,
)

/**
 * Whether the visitor opened the site under another public name than PUBLIC_ORIGIN, where no form can be sent. The name is
 * the one that a trusted proxy forwards, else Host. Never true for an internal name, so a proxy that rewrites Host causes no
 * endless redirect.
 */
export function isUnderOtherName(
  request: Request,
  sender: string | undefined,
  { publicOrigin, trustedProxies }: Pick<Settings, 'publicOrigin' | 'trustedProxies'>,
) {
  if (!publicOrigin) return false
  const isTrusted = trustedProxies.includes(plain(sender) ?? '')
  const [forwarded] = (isTrusted && request.headers.get('x-forwarded-host')?.split(',')) || []
  const hostIn = (url: string) => URL.parse(url)?.hostname.replace(/\.$/, '')
  const host = hostIn(forwarded ? `http://${forwarded.trim()}` : request.url)
  return host !== undefined && host !== hostIn(publicOrigin) && !INTERNAL.test(host)
}

/** Returns the host part of a URL of this server: `localhost` for loopback names, IPv6 addresses in brackets. */
export function hostInUrl(host: string) {
  if (isIPv6(host)) return `[${host}]`
  return isLoopback(host) ? 'localhost' : host
}

/**
 * The origin of the links in mails: PUBLIC_ORIGIN or, while only this machine can connect, that of the request. The Host
 * of any other request may be a stranger's, so what the operator set takes its place.
 */
export function mailOriginOf(requested: string, settings: Pick<Settings, 'publicOrigin' | 'host' | 'port'>) {
  const { publicOrigin, host, port } = settings
  if (publicOrigin || isLoopback(host)) return publicOrigin ?? requested
  return `http://${['0.0.0.0', '::'].includes(host) ? 'localhost' : hostInUrl(host)}:${port}`
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
