import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { interactionPolicy } from 'oidc-provider'

export const client = { clientId: 'noren', clientSecret: 'the secret between the site and this provider' }

type ProviderBehavior = {
  /** Overrides claims for every user: the claims of the ID token at /token, and the claims of the userinfo at /me. */
  claims?: ((path: string) => Record<string, unknown>) | undefined
  /** The path whose requests never get a response. */
  silentAt?: string | undefined
}

/**
 * Starts an OpenID provider in memory that replaces Google. Its sign-in form sets the e-mail address, the name and
 * whether the address is verified. The claims are in the userinfo, or in the ID token if `inIdToken` is true. The
 * returned options can be changed while the provider runs.
 */
export async function startOpenIdProvider({ inIdToken = false } = {}) {
  const manners: ProviderBehavior = {}
  const accounts = new Map<string, { email: string; email_verified: boolean; name: string }>()
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const { Prompt, base } = interactionPolicy
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }))
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: ['http://localhost/'] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_, { uid }) => `/sign-in/${uid}` },
    cookies: { keys: ['cookie key of the tests'] },
    pkce: { required: () => true },
    conformIdTokenClaims: !inIdToken,
    findAccount: ({ path }, id) => {
      const claims = { sub: id, ...accounts.get(id), ...manners.claims?.(path) }
      return { accountId: path === '/token' || path === '/me' ? claims.sub : id, claims: () => claims }
    },
    // Grants access to any client, because the ports of the sites are not known in advance.
    async loadExistingGrant(context) {
      const grant = new context.oidc.provider.Grant({
        clientId: client.clientId,
        accountId: context.oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  provider.Client.prototype.redirectUriAllowed = (uri: string) => /\/api\/auth\/callback\/google$/.test(uri)
  const handleOidcRequest = provider.callback()

  server.on('request', async (request, response) => {
    if (request.url === '/favicon.ico') return response.writeHead(204).end()
    if (request.url === manners.silentAt) return
    if (!request.url?.startsWith('/sign-in/')) return handleOidcRequest(request, response)
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      return response.end(form)
    }
    const input = new URLSearchParams(await body(request))
    if (input.has('cancel')) {
      return provider.interactionFinished(request, response, { error: 'access_denied' })
    }
    const email = input.get('email') ?? ''
    accounts.set(email, { email, email_verified: input.has('verified'), name: input.get('name') ?? '' })
    await provider.interactionFinished(request, response, { login: { accountId: email }, select_account: {} })
  })

  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { discoveryUrl: `${issuer}/.well-known/openid-configuration`, issuer, manners, server, stop }
}

const form = `<!doctype html><html lang="ja"><title>OpenID</title><form method="post">
<label>Address <input name="email" type="email"></label><label>Name <input name="name"></label>
<label>Verified <input name="verified" type="checkbox" checked></label>
<button>Sign in</button><button name="cancel">Cancel</button></form>`

async function body(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Submits the sign-in form of the provider without a browser. Returns the URL to which the provider redirects. */
export async function signInAtProvider(
  url: string,
  choice: 'cancel' | { email: string; name: string; verified: boolean },
): Promise<string> {
  const cookies = new Map<string, string>()
  const origin = new URL(url).origin
  const sendRequest = async (to: string, fields?: Record<string, string>) => {
    const response = await fetch(new URL(to, origin), {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (!location)
      throw new Error(`Expected a redirect from the provider, got ${response.status}: ${await response.text()}`)
    return new URL(location, origin)
  }
  const form = await sendRequest(url)
  if (form.origin !== origin) return form.href
  const { email = '', name = '', verified = false } = choice === 'cancel' ? {} : choice
  const fields: Record<string, string> =
    choice === 'cancel' ? { cancel: '' } : { email, name, ...(verified && { verified: 'on' }) }
  const resumed = await sendRequest(form.href, fields)
  return (await sendRequest(resumed.href)).href
}
