export function countOfNetworks() {
  const counts = new Map<string, number>()
  const of = (network: string) => counts.get(network) ?? 0
  return {
    of,
    change(network: string, by: 1 | -1) {
      const now = of(network) + by
      if (now > 0) counts.set(network, now)
      else counts.delete(network)
    },
  }
}

/** Returns the network prefix: the first 64 bits of IPv6, which one household has (RFC 6177), or the IPv4 address. */
export function networkOf(address: string | null) {
  if (!address?.includes(':')) return address ?? 'unknown'
  const [before = [], after = []] = address
    .toLowerCase()
    .split('::')
    .map((half) => half.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')
}
