import type { Kysely, Transaction } from 'kysely'
import { lock } from '../../db/lock.ts'
import type { Tables } from '../../db/tables.ts'
import type { Visitor } from '../permissions.ts'
import { ChangeRefused } from '../records/record.ts'

type Roles = Pick<NonNullable<Visitor>, 'member' | 'staff'>

/** What an account is to the circle and to the shop; null where it is nothing to them, or not any more. */
export async function rolesOf(db: Kysely<Tables>, accountId: string): Promise<Roles> {
  const member = await db
    .selectFrom('members')
    .select(['id', 'administrator', 'admin'])
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  const staff = await db
    .selectFrom('staff')
    .select(['id', 'role'])
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return {
    member: member ? { id: member.id, administrator: member.administrator === 1, admin: member.admin === 1 } : null,
    staff: staff ?? null,
  }
}

// Who has no account signs in nowhere and runs nothing.
function membersWhoRun(db: Kysely<Tables>) {
  const administrators = db.selectFrom('members').where('administrator', '=', 1)
  return administrators.where('accountId', 'is not', null).where('deletedAt', 'is', null)
}

function staffWhoRun(db: Kysely<Tables>) {
  return db.selectFrom('staff').where('role', '=', 'administration').where('deletedAt', 'is', null)
}

/** The accounts that run the site, those of the circle first. */
export async function administratorsOf(db: Kysely<Tables>) {
  const members = membersWhoRun(db).select('accountId').$narrowType<{ accountId: string }>()
  const staff = staffWhoRun(db).select('accountId')
  const accounts = [
    ...(await members.orderBy('createdAt').orderBy('id').execute()),
    ...(await staff.orderBy('createdAt').orderBy('id').execute()),
  ]
  return [...new Set(accounts.map(({ accountId }) => accountId))]
}

export const LAST_ADMINISTRATOR =
  '管理者がひとりもいなくなるため、変更できません。先に、ほかの方を管理者にしてください。'

/** Nobody who can sign in would be left to run the site. */
export class LastAdministrator extends ChangeRefused {
  constructor() {
    super(LAST_ADMINISTRATOR)
  }
}

/**
 * Throws LastAdministrator where nobody else could run the site if this record, of the circle or of the shop, no longer let
 * its account do it.
 */
export async function keepOneAdministrator(trx: Transaction<Tables>, { id }: { id: string }) {
  // Two administrators who unmake each other in the same instant wait for one another here.
  await lock(trx, 'administrators')
  const member = await membersWhoRun(trx).select('id').where('id', '!=', id).executeTakeFirst()
  if (member) return
  const staff = await staffWhoRun(trx).select('id').where('id', '!=', id).executeTakeFirst()
  if (!staff) throw new LastAdministrator()
}

const FIRST = 'first administrator'

/** Takes the place of the first administrator, of which there is one in the life of a database; false where it was taken before. */
export async function markFirstAdministrator(trx: Transaction<Tables>, at: string) {
  const marked = await trx
    .insertInto('marks')
    .values({ name: FIRST, at })
    .onConflict((already) => already.column('name').doNothing())
    .returning('name')
    .executeTakeFirst()
  return marked !== undefined
}

/** Whether the site has had its first administrator; until then whoever registers first becomes one. */
export async function hasHadAdministrator(db: Kysely<Tables>) {
  const mark = await db.selectFrom('marks').select('name').where('name', '=', FIRST).executeTakeFirst()
  return mark !== undefined
}
