import type { Message } from './mailer.server.ts'

/** A mailer that collects its messages in `sent`. */
export function collectedMailer({ verifies = false } = {}) {
  const sent: Message[] = []
  const send = async (message: Message) => void sent.push(message)
  return { send, verifies, sent }
}
