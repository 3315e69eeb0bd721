import crypto, { type Argon2Parameters } from 'node:crypto'
import { createThread } from '../platform/thread.server.ts'

// OWASP's recommendation for argon2id: 19 MiB, two passes.
const cost = { parallelism: 1, memory: 19_456, passes: 2, tagLength: 32 }

/** Returns the hash in the PHC string format: https://github.com/P-H-C/phc-string-format */
export async function hashPassword(password: string) {
  const salt = crypto.randomBytes(16)
  const hash = await argon2id(password, salt)
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(hash)}`
}

// Verification against this hash takes as long as against a stored hash, and always fails.
const NO_HASH = `$argon2id$$$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Whether the password matches. Returns false for an unknown hash format and, after the same time, for null. */
export async function verifyPassword({ password, hash }: { password: string; hash: string | null }) {
  const [, algorithm, , , salt = '', storedHash = ''] = (hash ?? NO_HASH).split('$')
  if (algorithm !== 'argon2id') return false
  const computed = await argon2id(password, Buffer.from(salt, 'base64'))
  const stored = Buffer.from(storedHash, 'base64')
  return computed.length === stored.length && crypto.timingSafeEqual(computed, stored)
}

// Hashes run one at a time, off the main thread, because each takes a core and 19 MiB.
const argon2 = createThread<Argon2Parameters, Uint8Array>('./app/accounts/password-hash-worker.mjs')

async function argon2id(password: string, nonce: Buffer) {
  // NFKC, because keyboards compose the same characters in different ways.
  const message = password.normalize('NFKC')
  return Buffer.from(await argon2({ message, nonce, ...cost }))
}

function unpadded(bytes: Buffer) {
  return bytes.toString('base64').replace(/=+$/, '')
}
