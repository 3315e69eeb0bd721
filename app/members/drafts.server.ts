import { randomBytes } from 'node:crypto'
import { createCookie } from 'react-router'
import { lock } from '../../db/engine.ts'
import type { Db, Tables, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { hashToken } from '../accounts/mailed-links.server.ts'
import type { Visitor } from '../permissions.ts'
import type { MemberField } from './member.ts'

const DRAFT_TTL_S = 24 * 60 * 60
const MAX_DRAFT_LENGTH = 60_000

/**
 * `new` for the visitor's own registration, `nonmember` for a person who has no account, or the ID of an edited member.
 */
export type DraftSubject = string

/**
 * Unsaved input. Only drafts of administrators have flags. Only edits have `base`, the version at the start of the
 * edit.
 */
export type MemberDraft = Partial<Record<MemberField | 'administrator' | 'admin' | 'base', string>>

export async function readDraftOwner(request: Request, visitor: Visitor) {
  if (visitor) return visitor.accountId
  const token = await readToken(request)
  return token && formatGuestOwner(token)
}

/** Returns the owner of a new draft. If a guest has no draft cookie, `setCookie` contains a new cookie. */
export async function makeDraftOwner(request: Request, visitor: Visitor) {
  const owner = await readDraftOwner(request, visitor)
  if (owner) return { owner, setCookie: null }
  const token = randomBytes(24).toString('base64url')
  return { owner: formatGuestOwner(token), setCookie: await createDraftCookie(request).serialize(token) }
}

// The database contains only a hash of the token, so that nobody with access to the database can impersonate a guest.
function formatGuestOwner(token: string) {
  return `guest-${hashToken(token)}`
}

function createDraftCookie(request: Request) {
  const secure = new URL(request.url).protocol === 'https:'
  const name = secure ? '__Host-draft' : 'draft'
  return createCookie(name, { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge: DRAFT_TTL_S })
}

async function readToken(request: Request) {
  const token: unknown = await createDraftCookie(request).parse(request.headers.get('cookie'))
  return typeof token === 'string' ? token : null
}

/**
 * Moves the drafts of a guest to the account. If guest and account both have a draft, the newer text of each field
 * remains, because a session can end between two steps. Returns a cookie that deletes the guest's draft cookie, or null
 * if the guest has no draft cookie.
 */
export async function adoptDrafts(db: Db, request: Request, visitor: Visitor, now: number) {
  const token = visitor && (await readToken(request))
  if (!token) return null
  const [owner, guest] = [visitor.accountId, formatGuestOwner(token)]
  await inTransaction(db, async (trx) => {
    const drafts = await trx
      .selectFrom('memberDrafts')
      .selectAll()
      .where('owner', 'in', [owner, guest])
      .where('updatedAt', '>', computeExpiry(now))
      .orderBy('updatedAt')
      .execute()
    for (const { subject } of drafts.filter((draft) => draft.owner === guest)) {
      const typed = drafts.filter((draft) => draft.subject === subject)
      const fields = JSON.stringify(typed.map((draft): MemberDraft => JSON.parse(draft.fields)).reduce(mergeDrafts))
      const updatedAt = typed.at(-1)?.updatedAt ?? ''
      await writeDraft(trx, { owner, subject, fields, updatedAt })
    }
    await trx.deleteFrom('memberDrafts').where('owner', '=', guest).execute()
  })
  return createDraftCookie(request).serialize('', { maxAge: 0 })
}

// A guest whose session has ended sees empty fields, so an empty field must not replace a text.
function mergeDrafts(older: MemberDraft, newer: MemberDraft): MemberDraft {
  const typed = Object.entries(newer).filter(([, text]) => text !== '')
  return { ...older, ...Object.fromEntries(typed) }
}

/** Returns the fields of a draft, or null if there is no draft from the last 24 hours. */
export async function readDraft(
  db: Db,
  owner: string | null,
  subject: DraftSubject,
  now: number,
): Promise<MemberDraft | null> {
  const row = await db
    .selectFrom('memberDrafts')
    .select('fields')
    .where('owner', '=', owner ?? '')
    .where('subject', '=', subject)
    .where('updatedAt', '>', computeExpiry(now))
    .executeTakeFirst()
  return row ? JSON.parse(row.fields) : null
}

/**
 * Returns a hash for the confirm screen to send back. A registration is saved only if its draft still has this hash.
 */
export function hashDraft(draft: MemberDraft) {
  return hashToken(JSON.stringify(draft))
}

/** Merges the input into the draft. Returns false if the draft would exceed its maximum length. */
export async function saveDraft(
  db: Db,
  { owner, subject, now }: { owner: string; subject: DraftSubject; now: number },
  input: MemberDraft,
) {
  return inTransaction(db, async (trx) => {
    // Another tab may save another step of the same draft.
    await lock(trx, `draft ${owner} ${subject}`)
    await trx.deleteFrom('memberDrafts').where('updatedAt', '<=', computeExpiry(now)).execute()
    const fields = JSON.stringify({ ...(await readDraft(trx, owner, subject, now)), ...input })
    if (fields.length > MAX_DRAFT_LENGTH) return false
    await writeDraft(trx, { owner, subject, fields, updatedAt: new Date(now).toISOString() })
    return true
  })
}

function writeDraft(trx: Trx, draft: Tables['memberDrafts']) {
  return trx
    .insertInto('memberDrafts')
    .values(draft)
    .onConflict((conflict) => conflict.columns(['owner', 'subject']).doUpdateSet(draft))
    .execute()
}

export async function deleteDraft(db: Db, owner: string, subject: DraftSubject) {
  await db.deleteFrom('memberDrafts').where('owner', '=', owner).where('subject', '=', subject).execute()
}

function computeExpiry(now: number) {
  return new Date(now - DRAFT_TTL_S * 1000).toISOString()
}
