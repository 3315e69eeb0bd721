import type { Db } from '../../db/tables.ts'
import { dayInJapan, minuteInJapan } from '../dates/japan.ts'
import { waitingRow } from '../mail/outbox-queue.server.ts'
import type { PushKind } from './push-kinds.ts'

/** Kinds for the owner and staff. The webhook receives these kinds too. */
export const shopKinds: readonly PushKind[] = ['inquiry', 'table', 'registration', 'withdrawal']

/** A lock screen shows `title` and `body`, so they must contain nothing private. */
export type Notification = {
  kind: PushKind
  title: string
  body: string
  /** The path that the notification opens, with its query. */
  path: string
  /** Whether the notification is also sent at night. */
  urgent?: boolean
  /** If missing, all accounts that may receive this kind are notified. */
  accountIds?: readonly (string | null)[]
  /** The author of the change. */
  except?: string | null
}

/**
 * Enqueues a notification in the caller's transaction, for each device that receives this kind, and for the webhook.
 * Unless urgent, a notification between 22:00 and 8:00 in Japan waits until 8:00. Roles are checked at delivery.
 */
export async function enqueueNotification(db: Db, notification: Notification, { at }: { at: string }) {
  const { kind, title, body, path, urgent = false, accountIds, except = null } = notification
  const devices = await db.selectFrom('pushDevices').select(['id', 'accountId', 'kinds']).execute()
  const recipients: { channel: 'push' | 'webhook'; to: string | null }[] = devices
    .filter(({ kinds }) => kinds.split(' ').includes(kind))
    .filter(({ accountId }) => accountId !== except && (accountIds?.includes(accountId) ?? true))
    .map(({ id }) => ({ channel: 'push', to: id }))
  if (shopKinds.includes(kind)) recipients.push({ channel: 'webhook', to: null })
  if (recipients.length === 0) return
  const content = { kind, link: path, subject: title, text: body, html: '' }
  const dueAt = urgent ? at : endOfQuietHours(at)
  const rows = recipients.map((recipient) => ({ ...waitingRow(at, dueAt), ...recipient, ...content }))
  await db.insertInto('outbox').values(rows).execute()
}

/** Returns the time, or 8:00 in Japan if the time is between 22:00 and 8:00. */
function endOfQuietHours(at: string) {
  const now = Date.parse(at)
  const minute = minuteInJapan(now)
  if (minute >= 8 * 60 && minute < 22 * 60) return at
  const day = dayInJapan(now + 2 * 60 * 60_000) // From 22:00, this is the next day.
  return new Date(`${day}T08:00:00+09:00`).toISOString()
}
