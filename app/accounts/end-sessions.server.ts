import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { endMailedLinks } from './mailed-links.server.ts'

/** Ends one session of an account. Without `sessionId`, ends all sessions but `except`, and the mailed links. */
export async function endSessions(
  db: Kysely<Tables>,
  accountId: string,
  { sessionId, except = '' }: { sessionId?: string; except?: string } = {},
) {
  await inTransaction(db, async (trx) => {
    if (sessionId === undefined) await endMailedLinks(trx, accountId)
    const sessions = trx.deleteFrom('sessions').where('accountId', '=', accountId).where('id', '!=', except)
    await (sessionId === undefined ? sessions : sessions.where('id', '=', sessionId)).execute()
  })
}
