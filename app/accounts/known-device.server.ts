import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { passwordHashOf } from './password-proof.server.ts'

// The known device cookie has one entry per account: a device name and a signature. The signature covers the hash of
// the account's password, so nobody can forge an entry and a new password invalidates all earlier ones.
const MOST = 5
const PAIR = /([\w-]{16})\.([\w-]{43})/g

type Mark = { device: string; signature: string }
type World = { db: Kysely<Tables>; secret: string }

export async function findKnownDevice({ db, secret }: World, marks: string, email: string) {
  const hash = await passwordHashOf(db, db.selectFrom('accounts').select('id').where('email', '=', email))
  // Compares for an unknown e-mail too, so that the timing reveals nothing.
  const own = marksIn(marks).filter((mark) => isOf(mark, hash ?? '', secret))
  return (hash !== null && own[0]?.device) || null
}

/** Returns the new cookie value, or null if the cookie stays. A session, or a password, has only one device name. */
export async function addKnownDevice(
  { db, secret }: World,
  marks: string,
  { accountId, id = '' }: { accountId: string; id?: string | undefined },
) {
  const hash = await passwordHashOf(db, accountId)
  const kept = marksIn(marks)
  if (!hash || kept.some((mark) => isOf(mark, hash, secret))) return null
  const device = signed(`name ${id}`, hash, secret).slice(0, 16)
  const all = [{ device, signature: signed(device, hash, secret) }, ...kept].slice(0, MOST)
  return all.map((mark) => `${mark.device}.${mark.signature}`).join('.')
}

function marksIn(text: string): Mark[] {
  const found = [...text.matchAll(PAIR)].slice(0, MOST)
  return found.map(([, device = '', signature = '']) => ({ device, signature }))
}

function isOf({ device, signature }: Mark, hash: string, secret: string) {
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signed(device, hash, secret)))
}

function signed(text: string, hash: string, secret: string) {
  return createHmac('sha256', secret).update(`device ${text} ${hash}`).digest('base64url')
}
