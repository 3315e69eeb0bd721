import type { Kysely, Transaction } from 'kysely'
import type { MemberRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Visitor } from '../permissions.ts'
import { newSave } from '../records/record.ts'
import { add, change, lockRow } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import { accountnameKey } from './member.ts'
import { isTaken, memberRecord } from './member-record.server.ts'
import { markFirstAdministrator } from './registration.server.ts'

type Imported = Omit<MemberRow, 'version' | 'accountId' | 'accountnameKey' | 'deletedAt'>

/**
 * Keeps someone whom an older site knew, without an account: whoever proves their address takes the record over. An
 * account name that is taken gets a number; returns the name. Nobody becomes the first administrator after this.
 */
export async function addImportedMember(trx: Transaction<Tables>, imported: Imported, author: Author) {
  let accountname = imported.accountname
  for (let number = 2; await isTaken(trx, accountname); number += 1) accountname = imported.accountname + number
  const own = { accountname, accountnameKey: accountnameKey(accountname), accountId: null, deletedAt: null }
  await add(trx, memberRecord, { ...imported, ...own }, newSave(author, 'add'))
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
    // Who comes second finds that it has been taken.
    const now = await lockRow(trx, memberRecord, before.id)
    if (now?.accountId !== null) return null
    const save = newSave({ accountId: visitor.accountId, at }, 'adopt')
    const after = await change(trx, memberRecord, now, { accountId: visitor.accountId }, save)
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
