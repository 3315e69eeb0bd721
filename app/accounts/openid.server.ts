import type { BetterAuthPlugin } from 'better-auth'
import type { OAuthProvider } from 'better-auth/oauth2'
import { z } from 'zod'
import { fetchText } from '../platform/fetch-text.server.ts'
import { beginningOf } from '../ui/characters.ts'
import { cleanLine } from '../ui/typed-text.ts'
import { EmailForm, MAX_NAME_LENGTH } from './account-forms.ts'
import type { AuthSettings } from './auth.server.ts'

const TIMEOUT_MS = 10_000
const RETRY_DELAY_MS = 30_000

const Discovery = z.object({
  issuer: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
})
const Tokens = z.object({ access_token: z.string(), id_token: z.string() })
// A subject has at most 255 ASCII characters (OpenID Connect Core 2).
const Claims = z.object({
  sub: z.string().regex(/^[ -~]{1,255}$/),
  email: z.unknown().optional(),
  email_verified: z.unknown().optional(),
  name: z.unknown().optional(),
})

type Claims = z.infer<typeof Claims>

/**
 * Returns a function that creates the Better Auth plugin for the provider, or null if the provider cannot be reached.
 * Callers share one attempt; for 30 seconds after a failure, the function returns null at once. Better Auth's own
 * plugin has no timeouts and trusts any e-mail from the provider.
 */
export function createOpenId(google: NonNullable<AuthSettings['google']>, { db, clock, log }: AuthSettings) {
  let plugin: Promise<BetterAuthPlugin | null> | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  async function fetchParsed<T>(schema: z.ZodType<T>, url: string, init: RequestInit = {}) {
    try {
      return schema.parse(JSON.parse(await fetchText(url, { ...init, timeoutMs: TIMEOUT_MS })))
    } catch (err) {
      log.warn({ err, url }, 'OpenID request failed')
      throw err
    }
  }

  async function makePlugin() {
    try {
      const provider = await makeProvider(await fetchParsed(Discovery, google.discoveryUrl))
      return { id: 'openid', init: () => ({ context: { socialProviders: [provider] } }) }
    } catch {
      failedAt = clock()
      plugin = undefined
      return null
    }
  }

  async function makeProvider(endpoints: z.infer<typeof Discovery>): Promise<OAuthProvider<Claims>> {
    const { createAuthorizationURL, validateToken } = await import('better-auth/oauth2')
    const { clientId, clientSecret } = google
    const { issuer, userinfo_endpoint } = endpoints
    return {
      id: 'google',
      name: 'Google',
      issuer,
      requiresIdTokenNonce: true,
      disableImplicitSignUp: true,
      accountSubject: ({ profile }) => profile.sub,
      createAuthorizationURL: ({ state, codeVerifier, redirectURI, idTokenNonce }) =>
        createAuthorizationURL({
          id: 'google',
          options: { clientId },
          authorizationEndpoint: endpoints.authorization_endpoint,
          scopes: ['openid', 'email', 'profile'],
          prompt: 'select_account',
          state,
          codeVerifier,
          redirectURI,
          nonce: idTokenNonce,
        }),
      validateAuthorizationCode: async ({ code, codeVerifier = '', redirectURI }) => {
        const body = new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          code_verifier: codeVerifier,
          redirect_uri: redirectURI,
          client_id: clientId,
          client_secret: clientSecret,
        })
        const request: RequestInit = { method: 'POST', body, redirect: 'error' }
        const tokens = await fetchParsed(Tokens, endpoints.token_endpoint, request)
        return { accessToken: tokens.access_token, idToken: tokens.id_token }
      },
      getUserInfo: async ({ accessToken, idToken = '', expectedIdTokenNonce }) => {
        try {
          const { payload } = await validateToken(idToken, endpoints.jwks_uri, { audience: clientId, issuer })
          if (payload.nonce !== expectedIdTokenNonce) throw new Error('The ID token has another nonce')
          const claims = Claims.parse(payload)
          const headers = { authorization: `Bearer ${accessToken}` }
          const data =
            claims.email === undefined && userinfo_endpoint
              ? await fetchParsed(Claims, userinfo_endpoint, { headers, redirect: 'error' })
              : claims
          // OpenID Connect Core 5.3.2: the userinfo of another subject must not be used.
          if (data.sub !== claims.sub) throw new Error('The userinfo is of another subject')
          return { user: await userOf(data), data }
        } catch (err) {
          log.warn({ err }, 'OpenID claims refused')
          return null
        }
      },
    }
  }

  async function userOf({ sub, email, email_verified, name }: Claims) {
    const verified = email_verified === true ? EmailForm.safeParse({ email }).data?.email : undefined
    // Without a verified e-mail, only an account that already has this subject can sign in.
    const own = db
      .selectFrom('signInMethods')
      .innerJoin('accounts', 'accounts.id', 'owner')
      .select('email')
      .where('provider', '=', 'google')
      .where('subject', '=', sub)
    const address = verified ?? (await own.executeTakeFirst())?.email
    const shown = cleanLine(typeof name === 'string' ? name : '') || (address?.split('@')[0] ?? '')
    return { email: address, emailVerified: verified !== undefined, name: beginningOf(shown, MAX_NAME_LENGTH) }
  }

  return async () => {
    if (clock() - failedAt < RETRY_DELAY_MS) return null
    plugin ??= makePlugin()
    return plugin
  }
}
