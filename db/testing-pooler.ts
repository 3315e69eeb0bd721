import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

type Server = { socket: Socket; client: Client | null }
type Client = { socket: Socket; server: Server | null }

// PgBouncer accepts only these startup parameters.
const ACCEPTED = ['user', 'database', 'client_encoding', 'application_name']

/**
 * Opens a pooler of PostgreSQL connections that behaves like PgBouncer. Returns its URL. The pooler refuses timeouts
 * among the startup parameters. In transaction mode, a client loses its server connection after each transaction.
 */
export async function openPooler(url: string, mode: 'transaction' | 'session') {
  const { hostname, port } = new URL(url)
  const idle: Server[] = []
  const open = new Set<Socket>()
  const track = (socket: Socket) => {
    open.add(socket)
    return socket.on('error', () => {}).on('close', () => open.delete(socket))
  }

  let greeting: Buffer[] | undefined

  const connectServer = (startup: Buffer) =>
    new Promise<Server>((resolve) => {
      const server: Server = {
        socket: track(connect({ host: hostname, port: Number(port), noDelay: true })),
        client: null,
      }
      const received: Buffer[] = []
      let isReady = false
      onMessage(server.socket, (message) => {
        server.client?.socket.write(message)
        if (!isReady) received.push(message)
        const isIdle = String.fromCharCode(message[0] ?? 0, message[5] ?? 0) === 'ZI'
        if (isIdle && !isReady) {
          isReady = true
          greeting ??= received
          resolve(server)
        } else if (isIdle && mode === 'transaction') unlink(server)
      })
      server.socket.write(startup)
    })

  const unlink = (server: Server) => {
    if (server.client) server.client.server = null
    server.client = null
    idle.push(server)
  }

  const pooler = createServer((socket) => {
    const client: Client = { socket: track(socket), server: null }
    let startup: Buffer | undefined
    const forward = async (message: Buffer) => {
      const isStart = startup === undefined
      if (!startup) {
        startup = message
        const names = message
          .subarray(8)
          .toString()
          .split('\0')
          .filter((_, index) => index % 2 === 0)
        const refusedName = names.find((name) => name && !ACCEPTED.includes(name))
        if (refusedName) return void socket.end(errorMessage(`unsupported startup parameter: ${refusedName}`))
      }
      client.server ??= idle.pop() ?? (await connectServer(startup))
      client.server.client = client
      if (!isStart) return void client.server.socket.write(message)
      socket.write(Buffer.concat(greeting ?? []))
      if (mode === 'transaction') unlink(client.server)
    }
    let forwarded = Promise.resolve()
    const isEnd = (message: Buffer) => startup !== undefined && message[0] === 'X'.charCodeAt(0)
    onMessage(
      socket,
      (message) => (forwarded = forwarded.then(() => (isEnd(message) ? undefined : forward(message)))),
      4,
    )
    socket.on('close', () => client.server?.socket.destroy())
  })
  pooler.listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    pooler.close()
  })
  const poolerUrl = new URL(url)
  poolerUrl.port = String((pooler.address() as AddressInfo).port)
  return poolerUrl.href
}

// A message has a type of one byte, a length that includes its own four bytes, and a body. A startup message has no
// type.
function onMessage(socket: Socket, receive: (message: Buffer) => void, firstHeader = 5) {
  let rest = Buffer.alloc(0)
  let header = firstHeader
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= header) {
      const end = header - 4 + rest.readInt32BE(header - 4)
      if (rest.length < end) return
      header = 5
      receive(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  })
}

function errorMessage(text: string) {
  const body = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`)
  const header = Buffer.alloc(5)
  header.write('E')
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}
