// Child process that returns one fixed response. The benchmarks compare the site with this bare node:http server.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type FixedResponse = { headers: IncomingHttpHeaders; body: string }

process.once('message', ({ headers, body }: FixedResponse) => {
  const bytes = Buffer.from(body, 'base64')
  const server = createServer((_, response) => response.writeHead(200, headers).end(bytes))
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})
process.once('disconnect', () => process.exit())
