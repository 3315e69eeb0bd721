import type { Kysely } from 'kysely'

const HELD_FOR_MS = 30 * 24 * 60 * 60_000

type Message = { id: string; spam: number; expiresAt: string | null }

export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ messages: Message; messageReplies: { messageId: string } }>
  await db.schema.alterTable('messages').addColumn('expiresAt', 'text').execute()
  // A quarantined message is not spam if an administrator has replied to it.
  await db
    .updateTable('messages')
    .set({ spam: 0 })
    .where('spam', '=', 1)
    .where('id', 'in', (replies) => replies.selectFrom('messageReplies').select('messageId'))
    .execute()
  await db
    .updateTable('messages')
    .set({ expiresAt: new Date(Date.now() + HELD_FOR_MS).toISOString() })
    .where('spam', '=', 1)
    .execute()
  // The inbox uses this index for its counts and lists, which must be fast even with many quarantined messages.
  await db.schema
    .createIndex('messagesBySpam')
    .on('messages')
    .columns(['spam', 'createdAt', 'id', 'doneAt', 'expiresAt'])
    .execute()
}
