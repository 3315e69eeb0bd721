import { createHmac, timingSafeEqual } from 'node:crypto'
import { parse } from 'hono/utils/cookie'
import type { AuthRequest } from './auth.server.ts'

/** Returns the prefix of cookie names. With the prefix `__Host-`, no other site of the domain can set the cookies. */
export function cookiePrefix(origin: string) {
  return origin.startsWith('https:') ? '__Host-noren' : 'noren'
}

/** Returns a Set-Cookie header, hidden from scripts and forms of other sites. `maxAge` is in seconds. */
export function cookieOf(origin: string, name: string, value: string, maxAge: number) {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  const attributes = `Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${secure}`
  return `${cookiePrefix(origin)}.${name}=${encodeURIComponent(value)}; ${attributes}`
}

export function readCookie(request: Request, origin: string, name: string) {
  const fullName = `${cookiePrefix(origin)}.${name}`
  return parse(request.headers.get('cookie') ?? '', fullName)[fullName] ?? ''
}

export function readSignedCookie({ request, origin, settings: { secret } }: AuthRequest, name: string) {
  const cookie = Buffer.from(readCookie(request, origin, name))
  const value = cookie.subarray(0, Math.max(0, cookie.lastIndexOf('.'))).toString()
  const expected = Buffer.from(signValue(value, secret))
  return cookie.length === expected.length && timingSafeEqual(cookie, expected) ? value : null
}

export function setSignedCookie(
  { origin, cookies, settings: { secret } }: AuthRequest,
  name: string,
  value: string,
  maxAge: number,
) {
  cookies.push(cookieOf(origin, name, signValue(value, secret), maxAge))
}

export function deleteCookie({ origin, cookies }: AuthRequest, name: string) {
  cookies.push(cookieOf(origin, name, '', 0))
}

function signValue(value: string, secret: string) {
  return `${value}.${createHmac('sha256', secret).update(value).digest('base64')}`
}
