import { isIPv6 } from 'node:net'
import { isTrustedProxy } from './client-ip.ts'
import type { Settings } from './settings.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

export function isLoopback(host: string) {
  return LOOPBACK.test(host) || host === '::1'
}

/** Returns the origin of the site, or null if the site is local and the request has a foreign Host. */
export function originOf(request: Request, { publicOrigin, host }: Pick<Settings, 'publicOrigin' | 'host'>) {
  if (publicOrigin) return publicOrigin
  const url = new URL(request.url)
  return isLoopback(url.hostname) || !isLoopback(host) ? `http://${url.host}` : null
}

// If a proxy sent such a host as Host, a redirect to PUBLIC_ORIGIN would be endless.
/** Hosts that no outside visitor can reach. */
export const INTERNAL_HOST = new RegExp(
  `^(?:${[
    '[^.:]+',
    '.*\\.(?:local|localhost|internal|lan|home\\.arpa)',
    '(?:0|10|127|169\\.254|192\\.168|172\\.(?:1[6-9]|2\\d|3[01])|100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7]))\\.[\\d.]+',
    '\\[(?:::|f[cd]|fe[89ab]).*',
  ].join('|')})$`,
)

/** Whether the request has a public host other than that of PUBLIC_ORIGIN. Forms fail on such a host. */
export function isOtherPublicHost(
  request: Request,
  senderIp: string | undefined,
  { publicOrigin, trustedProxies }: Pick<Settings, 'publicOrigin' | 'trustedProxies'>,
) {
  if (!publicOrigin) return false
  const [forwarded] =
    (isTrustedProxy(senderIp, trustedProxies) && request.headers.get('x-forwarded-host')?.split(',')) || []
  const hostIn = (url: string) => URL.parse(url)?.hostname.replace(/\.$/, '')
  const host = hostIn(forwarded ? `http://${forwarded.trim()}` : request.url)
  return host !== undefined && host !== hostIn(publicOrigin) && !INTERNAL_HOST.test(host)
}

export function hostInUrl(host: string) {
  if (isIPv6(host)) return `[${host}]`
  return isLoopback(host) ? 'localhost' : host
}

/** Returns the origin for links in e-mails. Visitors can forge Host, so only a local site uses this header. */
export function mailOriginOf(requestedOrigin: string, settings: Pick<Settings, 'publicOrigin' | 'host' | 'port'>) {
  const { publicOrigin, host, port } = settings
  if (publicOrigin || isLoopback(host)) return publicOrigin ?? requestedOrigin
  return `http://${['0.0.0.0', '::'].includes(host) ? 'localhost' : hostInUrl(host)}:${port}`
}

/** Whether a page of this site sent the request. Returns false for a foreign or `null` Origin. */
export function isFromOwnPage(request: Request, origin: string) {
  const sender = request.headers.get('origin')
  if (sender !== null) return sender === origin
  const site = request.headers.get('sec-fetch-site')
  return site === null || site === 'same-origin' || site === 'none'
}
