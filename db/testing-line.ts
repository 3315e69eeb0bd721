import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * Opens a TCP proxy before PostgreSQL that simulates network and machine failures. Returns its URL and its controls.
 */
export async function openLine(url: string) {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  let held = false
  let refusing = false
  const server = createServer((from) => {
    if (refusing) return from.resetAndDestroy()
    const to = connect({ host: hostname, port: Number(port), noDelay: true })
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one)
      if (held) one.pause()
      one.on('data', (bytes) => other.write(bytes))
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    if (held) for (const each of [from, to]) each.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(url)
  own.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    for (const each of open) each.destroy()
  }
  return {
    url: own.href,
    /** Stops all traffic without closing connections. */
    hold() {
      held = true
      for (const each of open) each.pause()
    },
    resume() {
      held = false
      for (const each of open) each.resume()
    },
    /** Closes all connections and refuses new ones until `mend`. */
    break() {
      refusing = true
      cut()
    },
    mend() {
      refusing = false
    },
    close() {
      cut()
      server.close()
    },
  }
}
