/** How many there are of each network now. */
export function countOfNetworks() {
  const counts = new Map<string, number>()
  const of = (network: string) => counts.get(network) ?? 0
  return {
    of,
    /** Returns the network with the highest count, the first of several; undefined if there is none. */
    largest: () => {
      const most = Math.max(...counts.values())
      return [...counts.keys()].find((network) => of(network) === most)
    },
    change(network: string, by: 1 | -1) {
      const now = of(network) + by
      if (now > 0) counts.set(network, now)
      else counts.delete(network)
    },
  }
}

/**
 * The network that an address stands for where visitors are counted: of IPv6 the first 64 bits, which one household has
 * to itself (RFC 6177); of IPv4 the address. All whose address is not known are one.
 */
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
