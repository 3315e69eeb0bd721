import { type BlockList, isIP } from 'node:net'

const familyOf = (ip: string) => (isIP(ip) === 6 ? 'ipv6' : 'ipv4')

/** Adds an IP address or a range in CIDR notation. Returns false, and adds nothing, if the text is neither. */
export function addIpRange(list: BlockList, text: string) {
  const [, ip = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(ip)] ?? 0
  if (bits === 0 || Number(prefix ?? 0) > bits) return false
  list.addSubnet(ip, Number(prefix ?? bits), familyOf(ip))
  return true
}

export function isTrustedProxy(senderIp: string | undefined, trustedProxies: BlockList) {
  const ip = parseIp(senderIp)
  return ip !== null && trustedProxies.check(ip, familyOf(ip))
}

/**
 * Returns the IP address of the client, or null if it is unknown. If a trusted proxy connects, the address is the last
 * one in X-Forwarded-For or Forwarded (RFC 7239) that no trusted proxy has: clients can forge everything left of it.
 * A client can also send the header that its proxy does not write, so two contradicting headers count as unknown.
 */
export function readClientIp({ headers }: Request, senderIp: string | undefined, trustedProxies: BlockList) {
  const forwardedFor = headers.get('x-forwarded-for')?.split(',')
  const forwarded = headers
    .get('forwarded')
    ?.match(/(?:[^,"]|"(?:\\.|[^"\\])*")+/g)
    ?.map(readForwardedFor)
  const readLastUntrusted = (hops: (string | undefined)[] = []) => {
    const route = [...hops, senderIp]
    const index = route.findLastIndex((ip) => !isTrustedProxy(ip, trustedProxies))
    return parseIp(route[Math.max(0, index)])
  }
  const client = readLastUntrusted(forwardedFor ?? forwarded)
  return readLastUntrusted(forwarded ?? forwardedFor) === client ? client : null
}

function readForwardedFor(element: string) {
  const [, quoted, token] = /(?:^|;)\s*for=(?:"((?:\\.|[^"\\])*)"|([^;"\s]+))/i.exec(element) ?? []
  return quoted ?? token
}

/**
 * Returns the IP address without a port, or null. Proxies may append the port, and dual-stack sockets report IPv4
 * senders as ::ffff:192.0.2.1.
 */
export function parseIp(address = '') {
  const text = address.trim()
  const [, bracketed, ip4] = /^(?:\[([^\]]+)\](?::\d+)?|(?:::ffff:)?([\d.]+)(?::\d+)?)$/i.exec(text) ?? []
  const ip = bracketed ?? ip4 ?? text
  return isIP(ip) === 0 ? null : ip
}
