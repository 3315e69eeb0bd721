import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SendMailOptions, Transporter } from 'nodemailer'
import { flushFolder } from '../../db/flush-folder.ts'
import { isPlainEmail } from '../forms/email-address.ts'
import { withTimeout } from '../platform/with-timeout.server.ts'

/**
 * An e-mail as plain text and simple HTML. All attempts have the same `id`, and therefore the same Message-ID. `date`
 * is the time of writing. `from` is a display name. `isAutomatic` is set unless a person wrote the text (RFC 3834).
 * `unsubscribeUrl` accepts the POST of a mail program (RFC 8058).
 */
export type OutgoingMail = {
  to: string
  subject: string
  text: string
  html: string
  id?: string
  date?: Date
  from?: string
  replyTo?: string | null
  isAutomatic?: boolean
  unsubscribeUrl?: string | null
}

const SECOND = 1000

/**
 * Sends e-mails. `verifies` is true if the e-mails reach their recipients and can therefore verify e-mail addresses.
 */
export type Mailer = { send(message: OutgoingMail): Promise<void>; verifies: boolean }

export function createMailer({ dataFolder, ...settings }: MailSettings): Mailer {
  const { smtpUrl, mailFrom, publicOrigin } = settings
  const from = mailFrom ?? `noreply@${new URL(publicOrigin ?? 'http://localhost').hostname}`
  if (!smtpUrl) return fileMailer(mailFolder(dataFolder), from)
  return smtpMailer(smtpUrl, from, { clientName: smtpClientName(settings), timeout: 90 * SECOND })
}

/** Returns a fully qualified name for EHLO (RFC 5321 4.1.1.1), or undefined. Nodemailer then uses the host name. */
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

export function mailFolder(dataFolder: string) {
  return join(dataFolder, 'mails')
}

/** Sends by the mail server at `url` (smtp:// or smtps://). Rejects after at most `timeout` milliseconds. */
export function smtpMailer(
  url: string,
  from: string,
  { clientName, timeout }: { clientName: string | undefined; timeout: number },
): Mailer {
  const throwTimeout = () => {
    throw new Error('The mail server takes too long')
  }
  const makeTransport = async () =>
    (await nodemailer()).createTransport({
      url,
      ...(clientName && { name: clientName }),
      connectionTimeout: 15 * SECOND,
      greetingTimeout: 15 * SECOND,
      socketTimeout: 30 * SECOND,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  let transport: Promise<Transporter> | undefined
  const send = async (message: OutgoingMail) => {
    const options = mailOptions(message, from)
    transport ??= makeTransport()
    const mailServer = await transport
    // A server that responds one byte at a time never triggers the socket timeout.
    await withTimeout(timeout, () => mailServer.sendMail(options), throwTimeout)
  }
  return { send, verifies: true }
}

/** Writes each e-mail to an .eml file, which a mail program can open. The file survives a power failure. */
export function fileMailer(folder: string, from: string): Mailer {
  const send = async (message: OutgoingMail) => {
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

// Nodemailer is loaded with the first e-mail to save memory, because a small shop sends no e-mail on most days.
function nodemailer() {
  return import('nodemailer')
}

// The envelope names its recipient explicitly, so that an e-mail goes to one address whatever its headers contain.
function mailOptions(
  { to, subject, text, html, id, date, from, replyTo, isAutomatic, unsubscribeUrl }: OutgoingMail,
  senderEmail: string,
): SendMailOptions {
  for (const email of [to, ...(replyTo ? [replyTo] : [])]) {
    if (!isPlainEmail(email)) throw new Error('E-mail address rejected: expected one plain address')
  }
  return {
    envelope: { from: senderEmail, to: [to] },
    from: from ? { name: from, address: senderEmail } : senderEmail,
    to: { name: '', address: to },
    ...(replyTo && { replyTo: { name: '', address: replyTo } }),
    subject,
    text,
    html,
    ...(id && { messageId: `<${id}@${senderEmail.split('@').at(-1)}>` }),
    ...(date && { date }),
    headers: {
      ...(isAutomatic && { 'Auto-Submitted': 'auto-generated' }),
      ...(unsubscribeUrl && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }
}
