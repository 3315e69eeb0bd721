import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * Opens a TCP proxy to a site. Tests cut and rejoin the proxy, because WebDriver cannot simulate an offline browser in
 * every engine.
 */
export async function startBreakableProxy(address: string) {
  const site = Number(new URL(address).port)
  const open = new Set<Socket>()
  let isCut = false
  const proxy = createServer((visitor) => {
    if (isCut) return visitor.destroy()
    const socket = connect(site, '127.0.0.1')
    for (const [from, to] of [
      [visitor, socket],
      [socket, visitor],
    ] as const) {
      open.add(from)
      from.pipe(to)
      from.on('error', () => {})
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as { port: number }
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    cut,
    join: () => {
      isCut = false
    },
    stop: () => {
      cut()
      proxy.close()
    },
  }
}
