import { join } from 'node:path'
import { connect } from '../db/open.ts'

const PASSWORD = 'irasshaimase'

type App = typeof import('../server/app.ts')
/** The name by which one of the demo people is chosen; each has an account. */
export type DemoPerson = keyof App['demoAccounts']

type Where = { address: string; dataFolder: string; url?: string | undefined }

/**
 * Registers the demo people with a running site, on the PostgreSQL of the `url` if there is one, hires its staff and signs
 * all of them in. Returns the cookies of each by name.
 */
export async function signInDemoPeople({ address, dataFolder, url }: Where) {
  const { demoAccounts, hireStaff, openAccounts, registerPeople } = await app()
  const db = await connect({ url, file: join(dataFolder, 'site.db') })
  await openAccounts(db, PASSWORD, Date.now())
  await registerPeople(db, Date.now())
  await hireStaff(db, Date.now())
  await db.destroy()
  const cookies = {} as Record<DemoPerson, string>
  for (const person of Object.keys(demoAccounts) as DemoPerson[]) cookies[person] = await signIn(address, person)
  return cookies
}

/** Returns the cookies of a demo person's new session. Throws if the site refuses it. */
export async function signIn(address: string, person: DemoPerson) {
  const { email } = (await app()).demoAccounts[person]
  const body = new URLSearchParams({ email, password: PASSWORD })
  const options = { method: 'POST', body, redirect: 'manual', headers: { origin: address } } as const
  const { status, headers } = await fetch(`${address}/emaillogin`, options)
  const set = headers.getSetCookie().map((line) => line.split(';')[0])
  if (status !== 302 || set.length === 0) throw new Error(`Signing in as ${person} was answered ${status}, not 302`)
  return set.join('; ')
}

function app(): Promise<App> {
  const bundle = '../build/server/app.js'
  return import(bundle)
}
