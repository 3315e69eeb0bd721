import { join } from 'node:path'
import { addAccount } from '../../app/accounts/accounts.server.ts'
import { hashPassword } from '../../app/accounts/password-hash.server.ts'
import { startMailServer } from '../../app/mail/testing-mail-server.ts'
import { openDatabase } from '../../db/open.ts'
import { startSite } from '../start-site.ts'
import { asCount, asMilliseconds, atMost, figure, median, type Row } from './bench-figures.ts'

const PAIRS = 500
const password = 'toss-high-9'
const CHANGES = /[0-9a-f]{8}-\d+|asOf\\?",\d{13}/g

const forms: Record<string, { path: string; fields: (email: string) => Record<string, string> }> = {
  'signing in': { path: '/emaillogin', fields: (email) => ({ email, password: 'not-this-one' }) },
  'signing up': { path: '/signupform', fields: (email) => ({ name: '花', email, password }) },
  'a forgotten password': { path: '/resetpassword', fields: (email) => ({ email }) },
}

/** Whether a site that sends mail tells, by its words or by its time, which addresses have an account. */
export async function accounts(): Promise<Row[]> {
  const mail = await startMailServer()
  const settings = {
    SMTP_URL: mail.url,
    MAIL_FROM: 'noreply@example.jp',
    TRUSTED_PROXY: '127.0.0.1',
    LOG_LEVEL: 'warn',
  }
  await using site = await startSite(settings)
  await openAccounts(join(site.dataFolder, 'site.db'))
  const rows: Row[] = []
  for (const [what, { path, fields }] of Object.entries(forms)) {
    const times = { known: [] as number[], unknown: [] as number[] }
    const unlike: string[] = []
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const answers = new Set<string>()
      // Neither always comes first.
      for (const kind of pair % 2 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
        const email = kind === 'known' ? knownAddress(pair) : `unknown-${what.length}-${pair}@example.jp`
        const { answer, ms } = await post(`${site.address}${path}`, fields(email), pair)
        times[kind].push(ms)
        // When it is, and how many changes the site has seen, is told to everyone alike; filling it is heard of meanwhile.
        answers.add(answer.replaceAll(email, '').replace(CHANGES, ''))
      }
      if (answers.size > 1) unlike.push(whereUnlike([...answers]))
    }
    const [known, unknown] = [median(times.known), median(times.unknown)]
    rows.push({
      what: `${what}, ${PAIRS} pairs`,
      figures: [
        figure('known', known, asMilliseconds),
        figure('unknown', unknown, asMilliseconds),
        atMost('apart', Math.abs(known - unknown), 5, asMilliseconds),
        atMost('unlike answers', unlike.length, 0, asCount),
      ],
      notes: unlike,
    })
  }
  await mail.stop()
  return rows
}

function whereUnlike([one = '', other = '']: string[]) {
  const at = [...one].findIndex((character, index) => character !== other[index])
  return [one, other].map((answer) => answer.slice(Math.max(0, at - 40), at + 80)).join('  ≠  ')
}

const knownAddress = (number: number) => `known-${number}@example.jp`

async function openAccounts(file: string) {
  const db = await openDatabase({ file })
  const hash = await hashPassword(password)
  const at = new Date().toISOString()
  for (let number = 0; number < PAIRS; number += 1) {
    await addAccount(db, { name: '花', email: knownAddress(number), hash }, at)
  }
  await db.updateTable('accounts').set({ emailVerified: 1 }).execute()
  await db.destroy()
}

async function post(url: string, fields: Record<string, string>, network: number) {
  const began = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: new URL(url).origin, 'x-forwarded-for': `2001:db8:0:${network.toString(16)}::1` },
  })
  const answer = `${response.status} ${response.headers.getSetCookie().join()} ${await response.text()}`
  return { answer, ms: performance.now() - began }
}
