import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SendMailOptions, Transporter } from 'nodemailer'
import { flushFolder } from '../../db/flush-folder.ts'
import { isPlainAddress } from '../forms/email-address.ts'

/**
 * A mail, ready to be sent: its words plain and as simple HTML. A mail that is sent again keeps its `id`, and so its
 * Message-ID; `date` is when it was written. `from` is the name it is sent under, `replyTo` where an answer goes.
 * `isAutomatic` is set unless a person wrote the words (RFC 3834).
 */
export type Message = {
  to: string
  subject: string
  text: string
  html: string
  id?: string
  date?: Date
  from?: string
  replyTo?: string | null
  isAutomatic?: boolean
}

/** Sends mail; `verifies` says that mail really arrives, so that an address can be proven by it. */
export type Mailer = { send(message: Message): Promise<void>; verifies: boolean }

/** The mailer that the settings ask for: a mail server where one is named, else files in the data folder. */
export function mailerOf({ dataFolder, ...settings }: MailSettings): Mailer {
  const { smtpUrl, mailFrom, publicOrigin } = settings
  const from = mailFrom ?? `noreply@${new URL(publicOrigin ?? 'http://localhost').hostname}`
  if (!smtpUrl) return fileMailer(mailFolder(dataFolder), from)
  return smtpMailer(smtpUrl, from, { clientName: smtpClientName(settings) })
}

/**
 * The name in EHLO, which must be fully qualified (RFC 5321 4.1.1.1): the host of PUBLIC_ORIGIN, else of MAIL_FROM.
 * Undefined when neither is; Nodemailer then uses the name of the machine.
 */
export function smtpClientName({ publicOrigin, mailFrom }: Pick<MailSettings, 'publicOrigin' | 'mailFrom'>) {
  const names = [publicOrigin && new URL(publicOrigin).hostname, mailFrom?.split('@').at(-1)]
  return names.find((name) => name && /\.[a-z][^.]*$/i.test(name))
}

type MailSettings = {
  smtpUrl: string | undefined
  mailFrom: string | undefined
  publicOrigin: string | undefined
  dataFolder: string
}

/** Where mails are written that are not sent. */
export function mailFolder(dataFolder: string) {
  return join(dataFolder, 'mails')
}

const SECOND = 1000

/**
 * Sends through the mail server at `url` (smtp:// or smtps://). Rejects with its error, at the latest after `patience`
 * milliseconds.
 */
export function smtpMailer(
  url: string,
  from: string,
  { clientName, patience = 90 * SECOND }: { clientName?: string | undefined; patience?: number } = {},
): Mailer {
  const most = (ms: number) => Math.min(ms, patience)
  const makeTransport = async () =>
    (await nodemailer()).createTransport({
      url,
      ...(clientName && { name: clientName }),
      connectionTimeout: most(15 * SECOND),
      greetingTimeout: most(15 * SECOND),
      socketTimeout: most(30 * SECOND),
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  let transport: Promise<Transporter> | undefined
  const send = async (message: Message) => {
    const options = mailOptions(message, from)
    let timer: NodeJS.Timeout | undefined
    // A server that answers a byte at a time is never silent for long.
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The mail server takes too long')), patience)
    })
    transport ??= makeTransport()
    await Promise.race([(await transport).sendMail(options), tooLong]).finally(() => clearTimeout(timer))
  }
  return { send, verifies: true }
}

/** Keeps each mail as an .eml file, which a mail program opens, in place of sending it; kept, it survives a power cut. */
export function fileMailer(folder: string, from: string): Mailer {
  const send = async (message: Message) => {
    const options = mailOptions(message, from)
    const { createTransport } = await nodemailer()
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
    const { message: bytes } = await transport.sendMail(options)
    const { id = crypto.randomUUID(), date = new Date() } = message
    const file = join(folder, `${date.toISOString().replace(/\W/g, '')}-${id}.eml`)
    if (await mkdir(folder, { recursive: true })) await flushFolder(dirname(folder))
    await writeFile(`${file}.part`, bytes as Buffer, { mode: 0o600, flush: true })
    await rename(`${file}.part`, file)
    await flushFolder(folder)
  }
  return { send, verifies: false }
}

// Loaded with the first mail: most days of a small shop need no mail program in memory.
function nodemailer() {
  return import('nodemailer')
}

/** Keeps each mail in `sent`, for the tests. */
export function collectedMailer({ verifies = false } = {}) {
  const sent: Message[] = []
  const send = async (message: Message) => void sent.push(message)
  return { send, verifies, sent }
}

// The envelope is said, not read from headers: a mail goes to this one address, whatever its words are.
function mailOptions(
  { to, subject, text, html, id, date, from, replyTo, isAutomatic }: Message,
  address: string,
): SendMailOptions {
  for (const one of [to, ...(replyTo ? [replyTo] : [])]) {
    if (!isPlainAddress(one)) throw new Error('Not one plain address')
  }
  return {
    envelope: { from: address, to: [to] },
    from: from ? { name: from, address } : address,
    to: { name: '', address: to },
    ...(replyTo && { replyTo: { name: '', address: replyTo } }),
    subject,
    text,
    html,
    ...(id && { messageId: `<${id}@${address.split('@').at(-1)}>` }),
    ...(date && { date }),
    ...(isAutomatic && { headers: { 'Auto-Submitted': 'auto-generated' } }),
  }
}
