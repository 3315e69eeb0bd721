import { openDatabase } from '../../db/open.ts'
import { startQueue } from '../mail/outbox-queue.server.ts'
import { createNotificationQueue } from './notification-delivery.server.ts'

// Delivers notifications in a separate process, so that a test can kill it. Usage: node testing-notification-delivery.ts
// DATABASE PUSH_SERVICE SECRET NOW
const [, , database = '', pushService = '', secret = '', now = ''] = process.argv
const db = await openDatabase(database.startsWith('postgres') ? { url: database, file: '' } : { file: database })
const queue = createNotificationQueue({
  db,
  clock: () => Number(now),
  log: { warn: () => {}, error: (entry: object) => console.error(entry) },
  secret,
  contact: 'mailto:owner@example.jp',
  pushServices: [pushService],
  webhook: null,
  origin: 'https://example.jp',
})
startQueue(queue)
