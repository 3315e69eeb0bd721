import { WAIT_OPTIONS } from '../../db/testing-wait-options.ts'
import { type OutgoingMail, smtpMailer } from './mailer.server.ts'
import { createMailQueue, type Delivery } from './outbox.server.ts'
import { deliverDueRows } from './outbox-queue.server.ts'

/** Delivers the due e-mails. Returns the number of attempts. */
export function deliverDue(delivery: Delivery, signal: AbortSignal) {
  return deliverDueRows(createMailQueue(delivery), signal)
}

/** Returns a mailer that collects its e-mails in `sent`. */
export function collectedMailer({ verifies = false } = {}) {
  const sent: OutgoingMail[] = []
  const send = async (message: OutgoingMail) => void sent.push(message)
  return { send, verifies, sent }
}

/** Returns a mailer that sends to the test server at `url`. `timeout` is in milliseconds. */
export function createTestMailer(url: string, timeout = WAIT_OPTIONS.timeout) {
  return smtpMailer(url, 'noreply@example.jp', { clientName: undefined, timeout })
}
