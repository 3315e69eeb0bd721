import type { Db } from '../../db/tables.ts'

/** Adds copies of an approved member. Each copy has an account with a verified e-mail address. */
export async function addApprovedMembers(db: Db, count: number) {
  const member = await db.selectFrom('members').selectAll().where('admin', '=', true).executeTakeFirstOrThrow()
  const { createdAt, updatedAt } = member
  const ids = Array.from({ length: count }, (_, index) => `many-${index}`)
  const accounts = ids.map((id) => ({ id, name: id, email: `${id}@example.jp`, image: null, createdAt, updatedAt }))
  await db
    .insertInto('accounts')
    .values(accounts.map((account) => ({ ...account, emailVerified: true })))
    .execute()
  const members = ids.map((id) => ({ ...member, id, accountId: id, username: id, accountname: id, accountnameKey: id }))
  await db
    .insertInto('members')
    .values(members.map((copy) => ({ ...copy, administrator: false })))
    .execute()
  return ids
}
