import type { Kysely, Transaction } from 'kysely'
import { lock } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import { Rejection } from '../forms/outcome.ts'
import type { Visitor } from '../permissions.ts'

type Roles = Pick<NonNullable<Visitor>, 'member' | 'staff'>

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
    member: member ?? null,
    staff: staff ?? null,
  }
}

// Members without an account cannot sign in.
function membersWhoRun(db: Kysely<Tables>) {
  const administrators = db.selectFrom('members').where('administrator', '=', true)
  return administrators.where('accountId', 'is not', null).where('deletedAt', 'is', null)
}

function staffWhoRun(db: Kysely<Tables>) {
  return db.selectFrom('staff').where('role', '=', 'administration').where('deletedAt', 'is', null)
}

export async function administratorsOf(db: Kysely<Tables>) {
  const members = membersWhoRun(db).select('accountId').$narrowType<{ accountId: string }>()
  const staff = staffWhoRun(db).select('accountId')
  const accounts = [
    ...(await members.orderBy('createdAt').orderBy('id').execute()),
    ...(await staff.orderBy('createdAt').orderBy('id').execute()),
  ]
  return [...new Set(accounts.map(({ accountId }) => accountId))]
}

export const LAST_ADMINISTRATOR_SENTENCE =
  '管理者がひとりもいなくなるため、変更できません。先に、ほかの方を管理者にしてください。'

export class LastAdministrator extends Rejection {
  constructor() {
    super(LAST_ADMINISTRATOR_SENTENCE)
  }
}

/** Throws LastAdministrator if no administrator would be left without this member or staff record. */
export async function keepOneAdministrator(trx: Transaction<Tables>, { id }: { id: string }) {
  // Serializes two administrators who demote each other at the same moment.
  await lock(trx, 'administrators')
  const member = await membersWhoRun(trx).select('id').where('id', '!=', id).executeTakeFirst()
  if (member) return
  const staff = await staffWhoRun(trx).select('id').where('id', '!=', id).executeTakeFirst()
  if (!staff) throw new LastAdministrator()
}

const FIRST = 'first administrator'

/** Marks the first administrator, once per database. Returns false if the mark exists. */
export async function markFirstAdministrator(trx: Transaction<Tables>, at: string) {
  const marked = await trx
    .insertInto('marks')
    .values({ name: FIRST, at })
    .onConflict((already) => already.column('name').doNothing())
    .returning('name')
    .executeTakeFirst()
  return marked !== undefined
}

/** Whether the site has ever had an administrator; until then, the first person to register becomes one. */
export async function hasHadAdministrator(db: Kysely<Tables>) {
  const mark = await db.selectFrom('marks').select('name').where('name', '=', FIRST).executeTakeFirst()
  return mark !== undefined
}
