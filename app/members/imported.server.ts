import type { Kysely, Transaction } from 'kysely'
import type { MemberRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { isPlainAddress } from '../forms/email-address.ts'
import type { Visitor } from '../permissions.ts'
import { newSave } from '../records/record.ts'
import { add, change, lockRow } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import { accountnameKey } from './member.ts'
import { isTaken, memberRecord } from './member-record.server.ts'

type Imported = Omit<MemberRow, 'version' | 'accountId' | 'accountnameKey' | 'deletedAt'>

/**
 * Keeps someone whom an older site knew, without an account: whoever proves their address takes the record over. An
 * account name that is taken gets a number. Gives the row.
 */
export async function addImportedMember(trx: Transaction<Tables>, imported: Imported, author: Author) {
  let accountname = imported.accountname
  for (let number = 2; await isTaken(trx, accountname); number += 1) accountname = imported.accountname + number
  const own = { accountname, accountnameKey: accountnameKey(accountname), accountId: null, deletedAt: null }
  return add(trx, memberRecord, { ...imported, ...own }, newSave(author, 'add'))
}

/** Who takes an imported record over, as things are; where nobody does, why. */
type Taker = 'whoever proves the address' | 'nobody ever' | 'no address' | 'address twice' | 'account has a record'

/** Who will take an imported record over, and the other members with its address, in any letter case. */
export async function takeover(db: Kysely<Tables>, { id, email, nonMemberId }: MemberRow) {
  const alike = email ? await withAddress(db, email).where('id', '!=', id).execute() : []
  const taker = async (): Promise<Taker> => {
    if (nonMemberId !== null) return 'nobody ever'
    if (!isPlainAddress(email)) return 'no address'
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
