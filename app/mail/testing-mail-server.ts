import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'

/** A received e-mail: the name in EHLO, the sender and the recipients in the envelope, and the raw message. */
export type ReceivedMail = { greeting: string; from: string; to: string[]; raw: string; messageId: string }

/** Moments of a delivery at which a test can run its own code. */
export type Moment = 'greeted' | 'addressed' | 'halfway' | 'accepted' | 'answered'

type Behavior = {
  /** Rejects the sender, or the complete message, with a temporary error (450). */
  refuses?: 'sender' | 'message'
  /** Sends no response to the connection or to the message. */
  stalls?: 'connection' | 'message'
  /** Closes the connection in the middle of the message. */
  drops?: boolean
  /** Called at each moment. The server continues when the returned promise resolves. */
  at?: (moment: Moment) => Promise<void> | void
}

/**
 * Starts an SMTP server on a free port. `arrived` contains the accepted e-mails. `behavior` can change while the server
 * runs.
 */
export async function startMailServer(behavior: Behavior = {}) {
  const arrived: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  const pending = new Promise<never>(() => {})
  const reachMoment = async (moment: Moment) => behavior.at?.(moment)

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onConnect: (_session, done) =>
      void (behavior.stalls === 'connection' ? pending : reachMoment('greeted')).then(() => done()),
    onMailFrom: (_address, _session, done) => done(behavior.refuses === 'sender' ? temporaryError() : null),
    onRcptTo: (_address, _session, done) => void reachMoment('addressed').then(() => done()),
    onData: (stream, session, done) => void receive(stream, session).then(done, done),
  })
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  async function receive(stream: SMTPServerDataStream, { envelope, hostNameAppearsAs: greeting }: SMTPServerSession) {
    const chunks: Buffer[] = []
    for await (const chunk of stream) {
      chunks.push(chunk)
      if (chunks.length > 1) continue
      await reachMoment('halfway')
      if (behavior.drops) for (const socket of sockets) socket.destroy()
      if (behavior.drops) await pending
    }
    if (behavior.stalls === 'message') await pending
    if (behavior.refuses === 'message') return temporaryError()
    const raw = Buffer.concat(chunks).toString()
    arrived.push({
      greeting,
      from: envelope.mailFrom ? envelope.mailFrom.address : '',
      to: envelope.rcptTo.map(({ address }) => address),
      raw,
      messageId: /^Message-ID: (.+?)\r$/im.exec(raw)?.[1] ?? '',
    })
    await reachMoment('accepted')
    // The client receives the response only after this function has returned.
    setImmediate(() => void reachMoment('answered'))
    return null
  }

  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url: `smtp://127.0.0.1:${port}`, arrived, behavior, stop }
}

function temporaryError() {
  return Object.assign(new Error('Not now'), { responseCode: 450 })
}

/** Returns the unfolded headers of an e-mail. The header names are in lower case. */
export function headersOf(raw: string) {
  const [headerText = ''] = raw.split('\r\n\r\n', 1)
  const lines = headerText.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return lines.map((line) => {
    const [name = '', ...value] = line.split(': ')
    return [name.toLowerCase(), value.join(': ')] as const
  })
}

/** Decodes the encoded words of a header (RFC 2047). */
export function decodeHeader(value: string) {
  return value.replace(/\?=\s+=\?/g, '?==?').replace(/(?:=\?utf-8\?[bq]\?[^?]*\?=)+/gi, (encodedWords) => {
    const parts = [...encodedWords.matchAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi)]
    return Buffer.concat(
      parts.map(([, encoding, text = '']) =>
        encoding?.toLowerCase() === 'b'
          ? Buffer.from(text, 'base64')
          : decodeQuotedPrintable(text.replaceAll('_', ' ')),
      ),
    ).toString()
  })
}

/** Returns the plain-text part of an e-mail that has a text part and an HTML part. */
export function readPlainText(raw: string) {
  const part = /Content-Type: text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)\r\n----/i.exec(raw)
  const encoding = /Content-Type: text\/plain[\s\S]*?Content-Transfer-Encoding: (\S+)/i.exec(raw)?.[1]
  const body = part?.[1] ?? ''
  const bytes = encoding === 'base64' ? Buffer.from(body, 'base64') : decodeQuotedPrintable(body.replace(/=\r\n/g, ''))
  return bytes.toString().replaceAll('\r\n', '\n')
}

function decodeQuotedPrintable(text: string) {
  const bytes = text.replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
