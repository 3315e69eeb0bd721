import { join } from 'node:path'
import { connect } from '../db/open.ts'

const PASSWORD = 'irasshaimase'

type Where = { address: string; dataFolder: string; url?: string | undefined }

/**
 * Registers the demo people with a running site, on the PostgreSQL of the `url` if there is one, and signs them in. Gives
 * their cookies, the administrator's last.
 */
export async function signInDemoPeople({ address, dataFolder, url }: Where) {
  const bundle = '../build/server/app.js'
  const { openAccounts, registerPeople }: typeof import('../server/app.ts') = await import(bundle)
  const db = await connect({ url, file: join(dataFolder, 'site.db') })
  const people = await openAccounts(db, PASSWORD, Date.now())
  await registerPeople(db, Date.now())
  await db.destroy()
  const cookies: string[] = []
  for (const { email } of people) cookies.push(await signIn(address, email))
  return cookies
}

/** The cookies of a demo person's new session. */
export async function signIn(address: string, email: string) {
  const body = new URLSearchParams({ email, password: PASSWORD })
  const options = { method: 'POST', body, redirect: 'manual', headers: { origin: address } } as const
  const { headers } = await fetch(`${address}/emaillogin`, options)
  const set = headers.getSetCookie().map((line) => line.split(';')[0])
  return set.join('; ')
}
