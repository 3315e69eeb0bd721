export function createNetworkCounter() {
  const counts = new Map<string, number>()
  const of = (network: string) => counts.get(network) ?? 0
  return {
    of,
    change(network: string, delta: 1 | -1) {
      const newCount = of(network) + delta
      if (newCount > 0) counts.set(network, newCount)
      else counts.delete(network)
    },
  }
}

/** Returns an IPv4 address, or the first 64 bits of an IPv6 address, which belong to one household (RFC 6177). */
export function networkOf(ip: string | null) {
  if (!ip?.includes(':')) return ip ?? 'unknown'
  const [head = [], tail = []] = ip
    .toLowerCase()
    .split('::')
    .map((half) => half.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  const groups = [...head, ...zeros, ...tail].slice(0, 4)
  return groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')
}
