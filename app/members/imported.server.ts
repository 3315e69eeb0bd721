import type { Kysely, Transaction } from 'kysely'
import type { MemberRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Visitor } from '../permissions.ts'
import { recordRevision } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import { accountnameKey } from './member.ts'
import { isTaken, markFirstAdministrator } from './registration.server.ts'

type Imported = Omit<MemberRow, 'version' | 'accountId' | 'accountnameKey' | 'deletedAt'>

/**
 * Keeps someone whom an older site knew, without an account: whoever proves their address takes the record over. An
 * account name that is taken gets a number; returns the name. Nobody becomes the first administrator after this.
 */
export async function addImportedMember(trx: Transaction<Tables>, imported: Imported, author: Author) {
  let accountname = imported.accountname
  for (let number = 2; await isTaken(trx, accountname); number += 1) accountname = imported.accountname + number
  const names = { accountname, accountnameKey: accountnameKey(accountname) }
  const row: MemberRow = { ...imported, ...names, version: 1, accountId: null, deletedAt: null }
  await trx.insertInto('members').values(row).execute()
  await recordRevision(trx, { subject: 'member', subjectId: row.id, action: 'add', before: null, after: row }, author)
  await markFirstAdministrator(trx, author.at)
  return accountname
}

/**
 * Gives an imported record to the one who has proven its address; null where there is none, or more than one, and for
 * whoever has a record, be it in the bin. Records made for people without an account are nobody's to take.
 */
export async function adoptImportedMember(db: Kysely<Tables>, visitor: NonNullable<Visitor>, at: string) {
  if (!visitor.emailVerified) return null
  const waiting = await imported(db, visitor)
  if (waiting.length !== 1) return null
  return inTransaction(db, async (trx) => {
    const [before] = await imported(trx, visitor)
    if (!before) return null
    const change = { accountId: visitor.accountId, version: before.version + 1, updatedAt: at }
    const after = await trx
      .updateTable('members')
      .set(change)
      .where('id', '=', before.id)
      .where('version', '=', before.version)
      .where('accountId', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (!after) return null
    const author = { accountId: visitor.accountId, at }
    await recordRevision(trx, { subject: 'member', subjectId: after.id, action: 'adopt', before, after }, author)
    return { id: after.id, administrator: after.administrator === 1, admin: after.admin === 1 }
  })
}

async function imported(db: Kysely<Tables>, { email, accountId }: NonNullable<Visitor>) {
  const own = db.selectFrom('members').select('id').where('accountId', '=', accountId)
  return db
    .selectFrom('members')
    .selectAll()
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .where('accountId', 'is', null)
    .where('nonMemberId', 'is', null)
    .where('deletedAt', 'is', null)
    .where(({ not, exists }) => not(exists(own)))
    .execute()
}
