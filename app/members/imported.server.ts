import type { Kysely, Transaction } from 'kysely'
import type { MemberRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { isPlainEmail } from '../forms/email-address.ts'
import type { Visitor } from '../permissions.ts'
import { newSave } from '../records/record.ts'
import { add, change, lockRow } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import { accountnameKey } from './member.ts'
import { isTaken, memberRecord } from './member-record.server.ts'

type Imported = Omit<MemberRow, 'version' | 'accountId' | 'accountnameKey' | 'deletedAt'>

/** Adds a member from an older site, without an account. Appends a number to an account name that is taken. */
export async function addImportedMember(trx: Transaction<Tables>, imported: Imported, author: Author) {
  let accountname = imported.accountname
  for (let number = 2; await isTaken(trx, accountname); number += 1) accountname = imported.accountname + number
  const own = { accountname, accountnameKey: accountnameKey(accountname), accountId: null, deletedAt: null }
  return add(trx, memberRecord, { ...imported, ...own }, newSave(author, 'add'))
}

type Taker = 'whoever proves the address' | 'nobody ever' | 'no address' | 'address twice' | 'account has a record'

/** Returns whether a record can be adopted, and the other members with the same e-mail in any letter case. */
export async function readTakeover(db: Kysely<Tables>, { id, email, nonMemberId }: MemberRow) {
  const alike = email ? await withAddress(db, email).where('id', '!=', id).execute() : []
  const taker = async (): Promise<Taker> => {
    if (nonMemberId !== null) return 'nobody ever'
    if (!isPlainEmail(email)) return 'no address'
    if (alike.some((other) => other.accountId === null && other.nonMemberId === null)) return 'address twice'
    const member = await db
      .selectFrom('members')
      .innerJoin('accounts', 'accounts.id', 'members.accountId')
      .select('members.id')
      .where('accounts.email', '=', email.toLowerCase())
      .executeTakeFirst()
    return member ? 'account has a record' : 'whoever proves the address'
  }
  return { alike, taker: await taker() }
}

/**
 * Links the only imported record with the visitor's verified e-mail to the account. Returns null if there is not one
 * record, or if the account already has one, even in the bin. Records with a `nonMemberId` are never adopted.
 */
export async function adoptImportedMember(db: Kysely<Tables>, visitor: NonNullable<Visitor>, at: string) {
  if (!visitor.emailVerified) return null
  const waiting = await imported(db, visitor)
  if (waiting.length !== 1) return null
  return inTransaction(db, async (trx) => {
    const [before] = await imported(trx, visitor)
    if (!before) return null
    // A concurrent request may have adopted the record.
    const now = await lockRow(trx, memberRecord, before.id)
    if (now?.accountId !== null) return null
    const save = newSave({ accountId: visitor.accountId, at }, 'adopt')
    const after = await change(trx, memberRecord, now, { accountId: visitor.accountId }, save)
    return { id: after.id, administrator: after.administrator, admin: after.admin }
  })
}

async function imported(db: Kysely<Tables>, { email, accountId }: NonNullable<Visitor>) {
  const own = db.selectFrom('members').select('id').where('accountId', '=', accountId)
  return withAddress(db, email)
    .where('accountId', 'is', null)
    .where('nonMemberId', 'is', null)
    .where(({ not, exists }) => not(exists(own)))
    .execute()
}

function withAddress(db: Kysely<Tables>, email: string) {
  return db
    .selectFrom('members')
    .selectAll()
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .where('deletedAt', 'is', null)
}
