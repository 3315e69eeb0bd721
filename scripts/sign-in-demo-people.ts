import { join } from 'node:path'
import { connect } from '../db/open.ts'
import { demoAccounts, hireStaff, openAccounts, registerPeople } from '../server/tools/demo.ts'

const PASSWORD = 'irasshaimase'

export type DemoPerson = keyof typeof demoAccounts

type SiteLocation = { address: string; dataFolder: string; url?: string | undefined }

/** `url` is the site's PostgreSQL, if any. Returns the cookies of each person. */
export async function signInDemoPeople({ address, dataFolder, url }: SiteLocation) {
  const db = await connect({ url, file: join(dataFolder, 'site.db') })
  await openAccounts(db, PASSWORD, Date.now())
  await registerPeople(db, Date.now())
  await hireStaff(db, Date.now())
  await db.destroy()
  const cookies = {} as Record<DemoPerson, string>
  for (const person of Object.keys(demoAccounts) as DemoPerson[]) cookies[person] = await signIn(address, person)
  return cookies
}

export async function signIn(address: string, person: DemoPerson) {
  const { email } = demoAccounts[person]
  const body = new URLSearchParams({ email, password: PASSWORD })
  const options = { method: 'POST', body, redirect: 'manual', headers: { origin: address } } as const
  const { status, headers } = await fetch(`${address}/emaillogin`, options)
  const cookiePairs = headers.getSetCookie().map((line) => line.split(';')[0])
  if (status !== 302 || cookiePairs.length === 0)
    throw new Error(`Sign-in of ${person} failed: got status ${status}, expected 302`)
  return cookiePairs.join('; ')
}
