import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'

// What a browser keeps for each account that signed in on it: a name of its own, and a signature over that, the account
// and its password. So nobody can make one, and with a new password those of before are of no use.
const MOST = 5
const PAIR = /([\w-]{16})\.([\w-]{43})/g

type Mark = { device: string; signature: string }

/** The name of the browser that keeps these marks, where this address has signed in on it; null elsewhere. */
export async function knownDevice(db: Kysely<Tables>, secret: string, marks: string, email: string) {
  const account = await db
    .selectFrom('accounts')
    .leftJoin('signInMethods', (join) =>
      join.onRef('signInMethods.owner', '=', 'accounts.id').on('provider', '=', 'credential'),
    )
    .select(['accounts.id', 'password'])
    .where('email', '=', email)
    .executeTakeFirst()
  const own = account && marksIn(marks).find((mark) => isOf(mark, account, secret))
  return own?.device ?? null
}

/** The marks that this browser should keep from now on, where the account has signed in on it; null where it has them. */
export async function markDevice(db: Kysely<Tables>, secret: string, marks: string, accountId: string) {
  const method = await db
    .selectFrom('signInMethods')
    .select('password')
    .where('owner', '=', accountId)
    .where('provider', '=', 'credential')
    .executeTakeFirst()
  const account = { id: accountId, password: method?.password ?? null }
  const kept = marksIn(marks)
  if (kept.some((mark) => isOf(mark, account, secret))) return null
  const device = randomBytes(12).toString('base64url')
  const all = [{ device, signature: signed(device, account, secret) }, ...kept].slice(0, MOST)
  return all.map((mark) => `${mark.device}.${mark.signature}`).join('.')
}

type Account = { id: string; password: string | null }

function marksIn(text: string): Mark[] {
  return [...text.matchAll(PAIR)].map(([, device = '', signature = '']) => ({ device, signature }))
}

function isOf({ device, signature }: Mark, account: Account, secret: string) {
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signed(device, account, secret)))
}

function signed(device: string, { id, password }: Account, secret: string) {
  return createHmac('sha256', secret).update(`device ${device} ${id} ${password}`).digest('base64url')
}
