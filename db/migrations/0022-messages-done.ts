import { type Kysely, sql } from 'kysely'
import { addColumnWithDefault, rowsInBatches } from '../migration-steps.ts'

type Message = {
  id: string
  subject: string
  text: string
  replyTo: string | null
  doneAt: string | null
  searchText: string
}
type Reply = { messageId: string; createdAt: string }

export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ messages: Message; messageReplies: Reply }>
  await db.schema.alterTable('messages').addColumn('doneAt', 'text').execute()
  await addColumnWithDefault(db, 'messages', 'searchText', '')
  // A message with a reply counts as handled.
  await db
    .updateTable('messages')
    .set({
      doneAt: sql`(select min(${sql.ref('createdAt')}) from ${sql.table('messageReplies')}
        where ${sql.ref('messageId')} = ${sql.ref('messages.id')})`,
    })
    .execute()
  const messages = db.selectFrom('messages').select(['id', 'subject', 'text', 'replyTo'])
  for await (const { id, subject, text, replyTo } of rowsInBatches(messages)) {
    const searchText = [subject, replyTo ?? '', text].join('\n').normalize('NFKC').toLowerCase()
    await db.updateTable('messages').set({ searchText }).where('id', '=', id).execute()
  }
}
