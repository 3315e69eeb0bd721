import { type Kysely, sql } from 'kysely'

type Message = {
  id: string
  subject: string
  text: string
  replyTo: string | null
  doneAt: string | null
  searchText: string
}
type Reply = { messageId: string; createdAt: string }

const AT_ONCE = 500

export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ messages: Message; messageReplies: Reply }>
  await db.schema.alterTable('messages').addColumn('doneAt', 'text').execute()
  await db.schema
    .alterTable('messages')
    .addColumn('searchText', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  // A message with a reply counts as handled.
  await db
    .updateTable('messages')
    .set({
      doneAt: sql`(select min(${sql.ref('createdAt')}) from ${sql.table('messageReplies')}
        where ${sql.ref('messageId')} = ${sql.ref('messages.id')})`,
    })
    .execute()
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('messages')
      .select(['id', 'subject', 'text', 'replyTo'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute()
    for (const { id, subject, text, replyTo } of rows) {
      const searchText = [subject, replyTo ?? '', text].join('\n').normalize('NFKC').toLowerCase()
      await db.updateTable('messages').set({ searchText }).where('id', '=', id).execute()
    }
    if (rows.length < AT_ONCE) break
    last = rows.at(-1)?.id ?? ''
  }
}
