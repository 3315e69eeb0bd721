import type { Logger } from 'pino'
import { z } from 'zod'
import { fetchText } from '../platform/fetch-text.server.ts'

export type GoogleClient = { clientId: string; clientSecret: string; discoveryUrl: string }

type Secrets = Record<'state' | 'nonce' | 'codeVerifier', string>

const TIMEOUT_MS = 10_000
const RETRY_DELAY_MS = 30_000

const Discovery = z
  .object({
    issuer: z.url(),
    authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    jwks_uri: z.url(),
    userinfo_endpoint: z.url().optional(),
  })
  .catchall(z.json())

// A subject has at most 255 ASCII characters (OpenID Connect Core 2).
const Claims = z.looseObject({ sub: z.string().regex(/^[ -~]{1,255}$/) })

export type Claims = z.infer<typeof Claims>

/** Returns a function that connects at its first call. It returns null for 30 seconds after a failed connection. */
export function createOpenId(google: GoogleClient, { clock, log }: { clock: () => number; log: Logger }) {
  let connection: ReturnType<typeof connect> | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  return async () => {
    // The clock may have been set back since the failure.
    if (Math.abs(clock() - failedAt) < RETRY_DELAY_MS) return null
    connection ??= connect(google, log)
    try {
      return await connection
    } catch {
      failedAt = clock()
      connection = undefined
      return null
    }
  }
}

async function connect({ clientId, clientSecret, discoveryUrl }: GoogleClient, log: Logger) {
  const client = await import('openid-client')
  const metadata = Discovery.parse(JSON.parse(await fetchLimited(log, discoveryUrl)))
  const config = new client.Configuration(metadata, clientId, clientSecret)
  // The library does not limit the size of a response.
  config[client.customFetch] = async (url, { body, ...init }) => {
    const text = await fetchLimited(log, url, { ...init, body: body as BodyInit })
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }
  // By default, the library relies on TLS and does not verify the signatures of ID tokens.
  client.enableNonRepudiationChecks(config)
  // A test provider on this machine has no HTTPS.
  if (metadata.issuer.startsWith('http://127.0.0.1:')) client.allowInsecureRequests(config)

  return {
    async signInUrl(redirectUri: string, { state, nonce, codeVerifier }: Secrets) {
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        prompt: 'select_account',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      })
      return url.href
    },

    async fetchClaims(callbackUrl: URL, { state, nonce, codeVerifier }: Secrets) {
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier }
        const tokens = await client.authorizationCodeGrant(config, callbackUrl, { ...checks, idTokenExpected: true })
        const claims = Claims.parse(tokens.claims())
        if (claims.email !== undefined || !metadata.userinfo_endpoint) return claims
        return Claims.parse(await client.fetchUserInfo(config, tokens.access_token, claims.sub))
      } catch (err) {
        log.warn({ err }, 'OpenID claims rejected')
        return null
      }
    },
  }
}

async function fetchLimited(log: Logger, url: string, init: RequestInit = {}) {
  try {
    return await fetchText(url, { ...init, timeoutMs: TIMEOUT_MS })
  } catch (err) {
    log.warn({ err, url }, 'OpenID request failed')
    throw err
  }
}
