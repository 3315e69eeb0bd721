// Child process that generates the load described in a message from its parent. It writes to the sockets directly,
// because a node:http client would need as much CPU time as the server.
import { connect } from 'node:net'

export type Load = {
  port: number
  path: string
  headers: Record<string, string>
  connections: number
  warmUpSeconds: number
  seconds: number
}
export type Throughput = { requestsPerSecond: number; p50: number; p99: number }

process.once('message', async (load: Load) => {
  await generateLoad(load, load.warmUpSeconds)
  process.send?.(await generateLoad(load, load.seconds))
})
process.once('disconnect', () => process.exit())

async function generateLoad(load: Load, seconds: number): Promise<Throughput> {
  const began = performance.now()
  const until = began + seconds * 1000
  const times = (await Promise.all(Array.from({ length: load.connections }, () => sendRepeatedly(load, until)))).flat()
  const sorted = Float64Array.from(times).sort()
  const percentileAt = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return {
    requestsPerSecond: (sorted.length / (performance.now() - began)) * 1000,
    p50: percentileAt(0.5),
    p99: percentileAt(0.99),
  }
}

/**
 * Sends requests over one connection, each after the previous response. Returns the duration of each response in
 * milliseconds.
 */
function sendRepeatedly({ port, path, headers }: Load, until: number) {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const requestBytes = Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  return new Promise<number[]>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const times: number[] = []
    let head: Buffer = Buffer.alloc(0)
    let missingBytes = 0
    let sentAt = 0

    function sendRequest() {
      sentAt = performance.now()
      socket.write(requestBytes)
    }

    socket.on('connect', sendRequest)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('Connection closed by the server')))
    socket.on('data', (chunk: Buffer) => {
      if (missingBytes === 0) {
        head = head.length > 0 ? Buffer.concat([head, chunk]) : chunk
        const end = head.indexOf('\r\n\r\n')
        if (end === -1) return
        missingBytes = end + 4 + bodyLength(head.toString('latin1', 0, end)) - head.length
        head = Buffer.alloc(0)
      } else missingBytes -= chunk.length
      if (missingBytes > 0) return
      const now = performance.now()
      times.push(now - sentAt)
      if (now < until) return sendRequest()
      resolve(times)
      socket.destroy()
    })
  })
}

function bodyLength(head: string) {
  const length = /^HTTP\/1\.1 200 [\s\S]*\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (!length) throw new Error(`Unexpected response, expected status 200 and a content length:\n${head}`)
  return Number(length)
}
