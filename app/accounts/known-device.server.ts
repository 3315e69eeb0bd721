import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../db/tables.ts'
import { passwordHashOf } from './password-proof.server.ts'

// Each signature covers the password hash, so nobody can forge an entry, and a new password invalidates all entries.
const MAX_ENTRIES = 5
const ENTRY = /([\w-]{16})\.([\w-]{43})/g

type Entry = { device: string; signature: string }
type Deps = { db: Db; secret: string }

export async function findKnownDevice({ db, secret }: Deps, cookie: string, email: string) {
  const hash = await passwordHashOf(db, db.selectFrom('accounts').select('id').where('email', '=', email))
  // The comparison also runs for an unknown e-mail address, so that the timing does not reveal used addresses.
  const ownEntries = parseEntries(cookie).filter((entry) => isSignedFor(entry, hash ?? '', secret))
  return (hash !== null && ownEntries[0]?.device) || null
}

/** Returns the new cookie value, or null if a device is valid. The session and password determine the device name. */
export async function addKnownDevice(
  { db, secret }: Deps,
  cookie: string,
  { accountId, id = '' }: { accountId: string; id?: string | undefined },
) {
  const hash = await passwordHashOf(db, accountId)
  const entries = parseEntries(cookie)
  if (!hash || entries.some((entry) => isSignedFor(entry, hash, secret))) return null
  const device = sign(`name ${id}`, hash, secret).slice(0, 16)
  const newEntries = [{ device, signature: sign(device, hash, secret) }, ...entries].slice(0, MAX_ENTRIES)
  return newEntries.map((entry) => `${entry.device}.${entry.signature}`).join('.')
}

function parseEntries(value: string): Entry[] {
  const matches = [...value.matchAll(ENTRY)].slice(0, MAX_ENTRIES)
  return matches.map(([, device = '', signature = '']) => ({ device, signature }))
}

function isSignedFor({ device, signature }: Entry, hash: string, secret: string) {
  return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(device, hash, secret)))
}

function sign(value: string, hash: string, secret: string) {
  return createHmac('sha256', secret).update(`device ${value} ${hash}`).digest('base64url')
}
