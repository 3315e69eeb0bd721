import crypto, { type Argon2Parameters } from 'node:crypto'
import { createThread } from '../platform/thread.server.ts'

/** Cost of new hashes: OWASP's recommendation for argon2id, 19 MiB and two passes. Tests lower the cost. */
export const hashCost = { parallelism: 1, memory: 19_456, passes: 2 }

/** Returns the hash as a PHC string, https://github.com/P-H-C/phc-string-format */
export async function hashPassword(password: string) {
  const salt = crypto.randomBytes(16)
  const { parallelism, memory, passes } = hashCost
  const hash = await argon2id(password, salt, hashCost)
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`
}

// Verification against this hash always fails, but takes as long as verification against a new hash.
const NO_HASH = `$argon2id$$$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Compares password and hash. Returns false for an unknown format; for null, after the time of a verification. */
export async function verifyPassword({ password, hash }: { password: string; hash: string | null }) {
  const [, kind, , cost = '', salt = '', stored = ''] = (hash ?? NO_HASH).split('$')
  if (kind !== 'argon2id') return false
  const computed = await argon2id(password, Buffer.from(salt, 'base64'), parseCost(cost))
  const expected = Buffer.from(stored, 'base64')
  return computed.length === expected.length && crypto.timingSafeEqual(computed, expected)
}

// A stored hash contains its own cost, so the hash stays valid if the cost of new hashes rises.
function parseCost(text: string) {
  const [, memory, passes, parallelism] = /^m=(\d+),t=(\d+),p=(\d+)$/.exec(text) ?? []
  if (memory === undefined) return hashCost
  return { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
}

// Hashes are computed one at a time, off the main thread, because each hash takes a core and 19 MiB.
const argon2 = createThread<Argon2Parameters, Uint8Array>('./app/accounts/password-hash-worker.mjs')

async function argon2id(password: string, nonce: Buffer, cost: typeof hashCost) {
  // Normalizes to NFKC, because keyboards compose the same characters in different ways.
  const message = password.normalize('NFKC')
  return Buffer.from(await argon2({ message, nonce, tagLength: 32, ...cost }))
}

function unpadded(bytes: Buffer) {
  return bytes.toString('base64').replace(/=+$/, '')
}
