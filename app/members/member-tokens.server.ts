import { createHmac, timingSafeEqual } from 'node:crypto'

type Purpose = 'answer' | 'unsubscribe'
type Grant = { memberId: string; subject: string }

const TOKEN = /^([\w-]+)\.([\w-]{43})$/

/** Returns a signed token that is valid for one purpose, one member and one subject. The token never expires. */
export function createMemberToken(secret: string, purpose: Purpose, { memberId, subject }: Grant) {
  const payload = Buffer.from(JSON.stringify([memberId, subject])).toString('base64url')
  return `${payload}.${sign(secret, purpose, payload)}`
}

/** Returns null if the token was not signed with this secret and for this purpose. */
export function readMemberToken(secret: string, purpose: Purpose, token: string): Grant | null {
  const [, payload = '', signature = ''] = TOKEN.exec(token) ?? []
  const expected = sign(secret, purpose, payload)
  if (signature.length !== expected.length) return null
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return null
  const [memberId, subject] = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return { memberId, subject }
}

function sign(secret: string, purpose: Purpose, payload: string) {
  return createHmac('sha256', secret).update(`member ${purpose} ${payload}`).digest('base64url')
}
