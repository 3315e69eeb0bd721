import type { Db } from '../../db/tables.ts'
import type { ApiTokenScope } from './account-forms.ts'
import { hashToken } from './mailed-links.server.ts'

/** Stores an API token without its form. Returns the token. */
export async function addApiToken(db: Db, accountId: string, scope: ApiTokenScope) {
  const token = `noren_${crypto.randomUUID()}`
  const row = { id: token, hash: hashToken(token), accountId, name: scope, scope, usedAt: null }
  await db
    .insertInto('apiTokens')
    .values({ ...row, createdAt: new Date().toISOString() })
    .execute()
  return token
}
