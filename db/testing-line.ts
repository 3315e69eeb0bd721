import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * Opens a TCP proxy for PostgreSQL that simulates network and machine failures. Returns the URL of the proxy and
 * functions that cause and end these failures.
 */
export async function openLine(url: string) {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  let isHeld = false
  let isRefusing = false
  let losesCommits = false
  const server = createServer((from) => {
    if (isRefusing) return from.resetAndDestroy()
    const to = connect({ host: hostname, port: Number(port), noDelay: true })
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one)
      if (isHeld) one.pause()
      one.on('data', (bytes) => {
        const isLost = losesCommits && one === from && bytes.includes('commit')
        other.write(bytes, () => isLost && one.destroy())
      })
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    if (isHeld) for (const each of [from, to]) each.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxyUrl = new URL(url)
  proxyUrl.port = String((server.address() as AddressInfo).port)
  const closeAll = () => {
    for (const each of open) each.destroy()
  }
  return {
    url: proxyUrl.href,
    /** Stops all traffic without closing connections. */
    hold() {
      isHeld = true
      for (const each of open) each.pause()
    },
    resume() {
      isHeld = false
      for (const each of open) each.resume()
    },
    /** Closes each connection after its commit, before the response. */
    loseCommits() {
      losesCommits = true
    },
    /** Closes all connections and refuses new connections until `mend` is called. */
    break() {
      isRefusing = true
      closeAll()
    },
    mend() {
      isRefusing = false
    },
    close() {
      closeAll()
      server.close()
    },
  }
}
