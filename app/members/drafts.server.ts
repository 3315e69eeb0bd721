import { createHash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { createCookie } from 'react-router'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Visitor } from '../permissions.ts'
import { type MemberField, memberFieldNames } from './member.ts'

const KEPT_FOR_S = 24 * 60 * 60
const MOST_CHARACTERS = 60_000

/** What a draft is about: `new` for one's own registration, `nonmember` for someone without an account, else a member's id. */
export type Subject = string

/** What has been typed; the flags, and the version that an edit began with, where the draft is of an administrator or an edit. */
export type MemberDraft = Partial<Record<MemberField | 'administrator' | 'admin' | 'base', string>>

const draftNames = [...memberFieldNames, 'administrator', 'admin', 'base'] as const

/** Whose drafts a request may see: those of its account, or those of the guest whom its cookie names. */
export async function draftOwner(request: Request, visitor: Visitor) {
  if (visitor) return visitor.accountId
  const token = await tokenOf(request)
  return token && guestOwner(token)
}

/** The owner of a new draft: a guest without a cookie gets one, to be sent as `setCookie`. */
export async function makeDraftOwner(request: Request, visitor: Visitor) {
  const owner = await draftOwner(request, visitor)
  if (owner) return { owner, setCookie: null }
  const token = randomBytes(24).toString('base64url')
  return { owner: guestOwner(token), setCookie: await cookieFor(request).serialize(token) }
}

// Only a digest is kept: who reads the database cannot take a guest's place.
function guestOwner(token: string) {
  return `guest-${createHash('sha256').update(token).digest('base64url')}`
}

function cookieFor(request: Request) {
  const secure = new URL(request.url).protocol === 'https:'
  const name = secure ? '__Host-draft' : 'draft'
  return createCookie(name, { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge: KEPT_FOR_S })
}

async function tokenOf(request: Request) {
  const token: unknown = await cookieFor(request).parse(request.headers.get('cookie'))
  return typeof token === 'string' ? token : null
}

/**
 * Gives what a guest has typed to the account that the guest has signed in with; the newer of two drafts stays. Returns
 * the cookie to send, which ends the guest's; null where there is nothing to do.
 */
export async function adoptDrafts(db: Kysely<Tables>, request: Request, visitor: Visitor) {
  const token = visitor && (await tokenOf(request))
  if (!token) return null
  await inTransaction(db, async (trx) => {
    const drafts = await trx.selectFrom('memberDrafts').selectAll().where('owner', '=', guestOwner(token)).execute()
    for (const draft of drafts) {
      await trx
        .insertInto('memberDrafts')
        .values({ ...draft, owner: visitor.accountId })
        .onConflict((already) =>
          already
            .columns(['owner', 'subject'])
            .doUpdateSet({ fields: draft.fields, updatedAt: draft.updatedAt })
            .where('memberDrafts.updatedAt', '<=', draft.updatedAt),
        )
        .execute()
    }
    await trx.deleteFrom('memberDrafts').where('owner', '=', guestOwner(token)).execute()
  })
  return cookieFor(request).serialize('', { maxAge: 0 })
}

/** The draft about a subject; null where there is none, or none of the last 24 hours. */
export async function readDraft(
  db: Kysely<Tables>,
  owner: string | null,
  subject: Subject,
  now: number,
): Promise<MemberDraft | null> {
  const row = await db
    .selectFrom('memberDrafts')
    .select('fields')
    .where('owner', '=', owner ?? '')
    .where('subject', '=', subject)
    .where('updatedAt', '>', expiry(now))
    .executeTakeFirst()
  return row ? JSON.parse(row.fields) : null
}

/** Returns a hash of a draft. The confirm screen sends the hash back, so that only the draft it has rendered is registered. */
export function hashDraft(draft: MemberDraft) {
  return createHash('sha256').update(JSON.stringify(draft)).digest('base64url')
}

/** Adds what was typed to the draft, known fields only; false where it is more than a person types. */
export async function keepDraft(
  db: Kysely<Tables>,
  { owner, subject, now }: { owner: string; subject: Subject; now: number },
  typed: MemberDraft,
) {
  return inTransaction(db, async (trx) => {
    await trx.deleteFrom('memberDrafts').where('updatedAt', '<=', expiry(now)).execute()
    const draft: MemberDraft = { ...(await readDraft(trx, owner, subject, now)) }
    for (const name of draftNames) if (typed[name] !== undefined) draft[name] = typed[name]
    const fields = JSON.stringify(draft)
    if (fields.length > MOST_CHARACTERS) return false
    const updatedAt = new Date(now).toISOString()
    await trx
      .insertInto('memberDrafts')
      .values({ owner, subject, fields, updatedAt })
      .onConflict((already) => already.columns(['owner', 'subject']).doUpdateSet({ fields, updatedAt }))
      .execute()
    return true
  })
}

/** Throws a draft away, once it was saved. */
export async function dropDraft(db: Kysely<Tables>, owner: string, subject: Subject) {
  await db.deleteFrom('memberDrafts').where('owner', '=', owner).where('subject', '=', subject).execute()
}

function expiry(now: number) {
  return new Date(now - KEPT_FOR_S * 1000).toISOString()
}
