import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { createServer, request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../db/open.ts'
import { readSettings } from '../../server/settings.ts'
import { browserOf, listenLocally, sampleSite } from '../../server/testing.ts'
import { makeCertificate } from '../../server/testing-certificate.ts'

const hana = { name: '桜井 花', email: 'hana@example.jp', password: 'toss-high-9' }

describe('the session cookie', () => {
  test('is Secure and has the __Host- prefix when a proxy terminates TLS', async () => {
    const { post, db } = await siteBehindTls()
    const signUp = await post('/signupform', hana)
    expect([signUp.status, signUp.location]).toEqual([302, '/login/welcome'])
    const [cookie = '', ...others] = signUp.cookies
    expect(others).toEqual([])
    expect(attributesOf(cookie)).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure'])
    expect(cookie).toMatch(/^__Host-noren\.session_token=/)

    const { ipAddress } = await db.selectFrom('sessions').select('ipAddress').executeTakeFirstOrThrow()
    expect(ipAddress).toBe('198.51.100.4')

    const signOut = await post('/logout', {}, cookie.split(';')[0])
    expect(signOut.cookies.length).toBeGreaterThan(0)
    for (const line of signOut.cookies) {
      expect(line).toMatch(/^__Host-noren\.\w+=;/)
      expect(attributesOf(line)).toEqual(['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Lax', 'Secure'])
    }
  })

  test('lacks only Secure and the __Host- prefix when the site runs without HTTPS', async () => {
    const db = await openDatabase({ file: ':memory:' })
    onTestFinished(() => db.destroy())
    const response = await browserOf(await sampleSite(db)).post('/signupform', hana)
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^noren\.session_token=/)
    expect(attributesOf(cookie)).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax'])
  })
})

function attributesOf(cookie: string) {
  return cookie.split('; ').slice(1).sort()
}

/** Starts the site behind a proxy that terminates TLS and forwards the IP address of the visitor. */
async function siteBehindTls() {
  const certificate = makeCertificate()
  let plainPort = 0
  const proxy = createServer(certificate, (incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-forwarded-for': '203.0.113.5, 198.51.100.4' }
    const forwarded = requestHttp(
      { host: '127.0.0.1', port: plainPort, path: incoming.url, method: incoming.method, headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      },
    )
    incoming.pipe(forwarded)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const { port } = proxy.address() as AddressInfo
  const origin = `https://localhost:${port}`

  const db = await openDatabase({ file: ':memory:' })
  const { app } = await sampleSite(db, readSettings({ PUBLIC_ORIGIN: origin, TRUSTED_PROXY: '127.0.0.1' }))
  const { server, port: appPort } = await listenLocally(app)
  plainPort = appPort
  onTestFinished(async () => {
    proxy.close()
    server.close()
    await db.destroy()
  })

  const post = async (path: string, fields: Record<string, string>, cookie = '') => {
    const headers = { origin, cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const request = requestHttps(`${origin}${path}`, { method: 'POST', ca: certificate.cert, headers, agent: false })
    request.end(new URLSearchParams(fields).toString())
    const [response] = await once(request, 'response')
    response.resume()
    return {
      status: response.statusCode as number,
      location: response.headers.location as string,
      cookies: (response.headers['set-cookie'] ?? []) as string[],
    }
  }
  return { post, db }
}
