import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Tables } from '../../db/tables.ts'

// What a browser keeps for each account that signed in on it: a name of its own, and a signature over that and the hash
// of the account's password. So nobody can make one, and with a new password those of before are of no use.
const MOST = 5
const PAIR = /([\w-]{16})\.([\w-]{43})/g

type Mark = { device: string; signature: string }

/** The name of the browser that keeps these marks, where this address has signed in on it; null elsewhere. */
export async function knownDevice(db: Kysely<Tables>, secret: string, marks: string, email: string) {
  const account = db.selectFrom('accounts').select('id').where('email', '=', email)
  const password = await passwordOf(db, account)
  const own = marksIn(marks).find((mark) => isOf(mark, password, secret))
  return own?.device ?? null
}

/** The marks that this browser should keep from now on, where the account has signed in on it; null where it has them. */
export async function markDevice(db: Kysely<Tables>, secret: string, marks: string, accountId: string) {
  const password = await passwordOf(db, accountId)
  const kept = marksIn(marks)
  if (!password || kept.some((mark) => isOf(mark, password, secret))) return null
  const device = randomBytes(12).toString('base64url')
  const all = [{ device, signature: signed(device, password, secret) }, ...kept].slice(0, MOST)
  return all.map((mark) => `${mark.device}.${mark.signature}`).join('.')
}

async function passwordOf(db: Kysely<Tables>, owner: string | SelectQueryBuilder<Tables, 'accounts', { id: string }>) {
  const method = await db
    .selectFrom('signInMethods')
    .select('password')
    .where('owner', '=', owner)
    .where('provider', '=', 'credential')
    .executeTakeFirst()
  return method?.password ?? null
}

function marksIn(text: string): Mark[] {
  return [...text.matchAll(PAIR)].map(([, device = '', signature = '']) => ({ device, signature }))
}

function isOf({ device, signature }: Mark, password: string | null, secret: string) {
  return password !== null && timingSafeEqual(Buffer.from(signature), Buffer.from(signed(device, password, secret)))
}

function signed(device: string, password: string, secret: string) {
  return createHmac('sha256', secret).update(`device ${device} ${password}`).digest('base64url')
}
