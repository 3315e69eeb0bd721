import { openDatabase } from '../../db/open.ts'
import { createMailQueue } from './outbox.server.ts'
import { startQueue } from './outbox-queue.server.ts'
import { createTestMailer } from './testing-mailer.ts'

// Delivers e-mails in a separate process, so that a test can kill it. Usage: node testing-delivery.ts DATABASE SMTP_URL
// NOW
const [, , database = '', smtpUrl = '', now = ''] = process.argv
const db = await openDatabase(database.startsWith('postgres') ? { url: database, file: '' } : { file: database })
const startedAt = performance.now()
const clock = () => Number(now) + performance.now() - startedAt
const log = { warn: () => {}, error: (entry: object) => console.error(entry) }
startQueue(createMailQueue({ db, clock, mailer: createTestMailer(smtpUrl), log, ownerEmail: 'owner@example.jp' }))
