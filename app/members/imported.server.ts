import type { Db, MemberRow, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { isPlainEmail } from '../forms/email-address.ts'
import type { Visitor } from '../permissions.ts'
import { newSave } from '../records/record.ts'
import { add, change, lockRow } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import { accountnameKey } from './member.ts'
import { isAccountnameTaken, memberRecord } from './member-record.server.ts'

type ImportedMember = Omit<MemberRow, 'version' | 'accountId' | 'accountnameKey' | 'resting' | 'deletedAt'>

/** Adds a member without an account from an older site. If the account name is taken, appends a number to the name. */
export async function addImportedMember(trx: Trx, member: ImportedMember, author: Author) {
  let accountname = member.accountname
  for (let number = 2; await isAccountnameTaken(trx, accountname); number += 1)
    accountname = member.accountname + number
  const ownColumns = {
    accountname,
    accountnameKey: accountnameKey(accountname),
    accountId: null,
    resting: false,
    deletedAt: null,
  }
  return add(trx, memberRecord, { ...member, ...ownColumns }, newSave(author, 'add'))
}

type Takeover = 'owner of the e-mail' | 'nobody' | 'no e-mail' | 'duplicate e-mail' | 'account has a member'

/**
 * Returns the adoption state of a record. `taker` is the person who can adopt the record, or the reason if nobody can.
 * `alike` contains the other members with the same e-mail address in any letter case.
 */
export async function readTakeover(db: Db, { id, email, nonMemberId }: MemberRow) {
  const sameEmail = email ? await selectByEmail(db, email).where('id', '!=', id).execute() : []
  const readTaker = async (): Promise<Takeover> => {
    if (nonMemberId !== null) return 'nobody'
    if (!isPlainEmail(email)) return 'no e-mail'
    if (sameEmail.some((other) => other.accountId === null && other.nonMemberId === null)) return 'duplicate e-mail'
    const member = await db
      .selectFrom('members')
      .innerJoin('accounts', 'accounts.id', 'members.accountId')
      .select('members.id')
      .where('accounts.email', '=', email.toLowerCase())
      .executeTakeFirst()
    return member ? 'account has a member' : 'owner of the e-mail'
  }
  return { alike: sameEmail, taker: await readTaker() }
}

/**
 * Links an imported record with the visitor's verified e-mail address to the visitor's account. Returns null unless
 * exactly one imported record has this address. Also returns null if the account already has a member, even in the bin.
 * A record with a `nonMemberId` is never adopted.
 */
export async function adoptImportedMember(db: Db, visitor: NonNullable<Visitor>, at: string) {
  if (!visitor.emailVerified) return null
  const candidates = await listAdoptableMembers(db, visitor)
  if (candidates.length !== 1) return null
  return inTransaction(db, async (trx) => {
    const [before] = await listAdoptableMembers(trx, visitor)
    if (!before) return null
    // A concurrent request may have adopted the same record since the first query.
    const current = await lockRow(trx, memberRecord, before.id)
    if (current?.accountId !== null) return null
    const save = newSave({ accountId: visitor.accountId, at }, 'adopt')
    const after = await change(trx, memberRecord, current, { accountId: visitor.accountId }, save)
    return { id: after.id, administrator: after.administrator, admin: after.admin }
  })
}

async function listAdoptableMembers(db: Db, { email, accountId }: NonNullable<Visitor>) {
  const ownMember = db.selectFrom('members').select('id').where('accountId', '=', accountId)
  return selectByEmail(db, email)
    .where('accountId', 'is', null)
    .where('nonMemberId', 'is', null)
    .where(({ not, exists }) => not(exists(ownMember)))
    .execute()
}

function selectByEmail(db: Db, email: string) {
  return db
    .selectFrom('members')
    .selectAll()
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .where('deletedAt', 'is', null)
}
