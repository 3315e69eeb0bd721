import type { Db } from '../../db/tables.ts'
import { newToken } from '../accounts/mailed-links.server.ts'
import { maySubscribeToOwnFeed, type Visitor } from '../permissions.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readRoles } from '../settings/roles.server.ts'

export const MEMBER_FEED_PATH = '/calendar/member.ics'

/** Returns the path of the visitor's own feed. Returns null if the visitor has none, or is not an approved member. */
export async function readMemberFeed(db: Db, visitor: Visitor) {
  if (!visitor?.member || !maySubscribeToOwnFeed(visitor)) return null
  const feed = db.selectFrom('memberFeeds').select('token').where('memberId', '=', visitor.member.id)
  const token = (await feed.executeTakeFirst())?.token
  return token ? `${MEMBER_FEED_PATH}?token=${token}` : null
}

/** Stores a new token for the member's feed. The token before becomes invalid. */
export async function renewMemberFeed(db: Db, memberId: string, createdAt: string) {
  const renewed = { token: newToken(), createdAt }
  await db
    .insertInto('memberFeeds')
    .values({ memberId, ...renewed })
    .onConflict((conflict) => conflict.column('memberId').doUpdateSet(renewed))
    .execute()
}

/** Returns the member of a feed as a visitor, or null if the token is invalid or the member is not approved now. */
export async function findFeedVisitor(db: Db, token: string): Promise<Visitor> {
  const found = await db
    .selectFrom('memberFeeds')
    .innerJoin('members', 'members.id', 'memberFeeds.memberId')
    .innerJoin('accounts', 'accounts.id', 'members.accountId')
    .select(['accounts.id', 'accounts.name', 'accounts.email', 'emailVerified'])
    .where('token', '=', token)
    .where('members.deletedAt', 'is', null)
    .where('accounts.deletedAt', 'is', null)
    .executeTakeFirst()
  if (!found || !(await isCircleOn(db))) return null
  const { id: accountId, ...account } = found
  const visitor = { accountId, ...account, ...(await readRoles(db, accountId)) }
  return maySubscribeToOwnFeed(visitor) ? visitor : null
}
