import { join } from 'node:path'
import { addAccount } from '../../app/accounts/accounts.server.ts'
import { hashPassword } from '../../app/accounts/password-hash.server.ts'
import { startMailServer } from '../../app/mail/testing-mail-server.ts'
import { openDatabase } from '../../db/open.ts'
import { startSite } from '../../scripts/start-site.ts'
import { asCount, asMilliseconds, figure, figureAtMost, median, type Row } from './bench-figures.ts'

const PAIRS = 1000
const MAX_AUC_DISTANCE = 0.04
const password = 'toss-high-9'
const CHANGES = /[0-9a-f]{8}-\d+|asOf\\?",\d{13}/g

type Form = { path: string; fields: (email: string) => Record<string, string>; signedIn?: boolean }
const forms: Record<string, Form> = {
  'sign-in': { path: '/emaillogin', fields: (email) => ({ email, password: 'not-this-one' }) },
  'sign-up': { path: '/signupform', fields: (email) => ({ name: '花', email, password }) },
  'password reset': { path: '/resetpassword', fields: (email) => ({ email }) },
  'change of e-mail address': {
    path: '/account',
    fields: (email) => ({ intent: 'email', email, current: password }),
    signedIn: true,
  },
}

/**
 * Measures whether the content or duration of responses reveals which e-mail addresses have an account. The measured
 * site sends e-mail.
 */
export async function accounts(): Promise<Row[]> {
  const mail = await startMailServer()
  const settings = {
    SMTP_URL: mail.url,
    MAIL_FROM: 'noreply@example.jp',
    TRUSTED_PROXY: '127.0.0.1',
    LOG_LEVEL: 'warn',
  }
  await using site = await startSite(settings)
  await createAccounts(join(site.dataFolder, 'site.db'))
  const rows: Row[] = []
  for (const [form, [label, { path, fields, signedIn }]] of Object.entries(forms).entries()) {
    const times = { known: [] as number[], unknown: [] as number[] }
    const differences: string[] = []
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const cookie = signedIn ? await signIn(site.address, pair) : ''
      const responses = new Set<string>()
      // The order is random, because leftover work of the previous request may delay a request.
      for (const kind of Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
        // Each form uses its own accounts, because a second e-mail to an account updates the row that the first e-mail
        // inserted.
        const number = form * PAIRS + pair
        const email = kind === 'known' ? knownEmail(number) : `unknown-${number}@example.jp`
        const { text, ms } = await measurePost(`${site.address}${path}.data`, fields(email), pair, cookie)
        times[kind].push(ms)
        // The time and the change count of the page are public and vary between requests.
        responses.add(text.replaceAll(email, '').replace(CHANGES, ''))
      }
      if (responses.size > 1) differences.push(showDifference([...responses]))
    }
    const auc = areaUnderCurve(times.known, times.unknown)
    rows.push({
      label: `${label}, ${PAIRS} pairs`,
      figures: [
        figure('known', median(times.known), asMilliseconds),
        figure('unknown', median(times.unknown), asMilliseconds),
        figure('AUC', auc, asShare),
        figureAtMost('from 0.5', Math.abs(auc - 0.5), MAX_AUC_DISTANCE, asShare),
        figureAtMost('different responses', differences.length, 0, asCount),
      ],
      notes: differences.slice(0, 3),
    })
  }
  await mail.stop()
  return rows
}

/**
 * Returns the probability that a response takes longer for a known e-mail address than for an unknown address. 0.5
 * means that the duration reveals nothing.
 */
function areaUnderCurve(known: number[], unknown: number[]) {
  const wins = known.map((ms) => unknown.filter((other) => other < ms).length)
  return wins.reduce((sum, win) => sum + win, 0) / (known.length * unknown.length)
}

const asShare = (value: number) => value.toFixed(3)

function showDifference([one = '', other = '']: string[]) {
  const at = [...one].findIndex((character, index) => character !== other[index])
  return [one, other].map((response) => response.slice(Math.max(0, at - 40), at + 80)).join('  ≠  ')
}

const knownEmail = (number: number) => `known-${number}@example.jp`

async function createAccounts(file: string) {
  const db = await openDatabase({ file })
  const hash = await hashPassword(password)
  const at = new Date().toISOString()
  for (let number = 0; number < Object.keys(forms).length * PAIRS; number += 1) {
    await addAccount(db, { name: '花', email: knownEmail(number), hash }, at)
  }
  await db.updateTable('accounts').set({ emailVerified: true }).execute()
  await db.destroy()
}

async function signIn(address: string, number: number) {
  const response = await send(`${address}/emaillogin.data`, { email: knownEmail(number), password }, number)
  const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0])
  if (cookies.length === 0)
    throw new Error(`Sign-in failed: got ${response.status} ${await response.text()}, expected a session cookie`)
  await response.arrayBuffer()
  return cookies.join('; ')
}

async function measurePost(url: string, fields: Record<string, string>, network: number, cookie: string) {
  const began = performance.now()
  const response = await send(url, fields, network, cookie)
  const text = `${response.status} ${response.headers.getSetCookie().join()} ${await response.text()}`
  return { text, ms: performance.now() - began }
}

function send(url: string, fields: Record<string, string>, network: number, cookie = '') {
  return fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: {
      origin: new URL(url).origin,
      'x-forwarded-for': `2001:db8:0:${network.toString(16)}::1`,
      ...(cookie && { cookie }),
    },
  })
}
