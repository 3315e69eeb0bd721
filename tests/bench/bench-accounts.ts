import { join } from 'node:path'
import { addAccount } from '../../app/accounts/accounts.server.ts'
import { hashPassword } from '../../app/accounts/password-hash.server.ts'
import { startMailServer } from '../../app/mail/testing-mail-server.ts'
import { openDatabase } from '../../db/open.ts'
import { startSite } from '../../scripts/start-site.ts'
import { asCount, asMilliseconds, atMost, figure, median, type Row } from './bench-figures.ts'

const PAIRS = 1000
const MAX_AUC_DISTANCE = 0.04
const password = 'toss-high-9'
const CHANGES = /[0-9a-f]{8}-\d+|asOf\\?",\d{13}/g

type Form = { path: string; fields: (email: string) => Record<string, string>; signedIn?: boolean }
const forms: Record<string, Form> = {
  'signing in': { path: '/emaillogin', fields: (email) => ({ email, password: 'not-this-one' }) },
  'signing up': { path: '/signupform', fields: (email) => ({ name: '花', email, password }) },
  'a forgotten password': { path: '/resetpassword', fields: (email) => ({ email }) },
  'another address': {
    path: '/account',
    fields: (email) => ({ intent: 'email', email, current: password }),
    signedIn: true,
  },
}

/** Measures whether the responses or response times of a site with e-mail reveal which addresses have an account. */
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
  for (const [form, [what, { path, fields, signedIn }]] of Object.entries(forms).entries()) {
    const times = { known: [] as number[], unknown: [] as number[] }
    const unlike: string[] = []
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const cookie = signedIn ? await signIn(site.address, pair) : ''
      const answers = new Set<string>()
      // The order is random, because a request may wait for leftover work of the previous one.
      for (const kind of Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
        // Each form has its own accounts, because a second e-mail to an account updates the row that the first one
        // inserted.
        const number = form * PAIRS + pair
        const email = kind === 'known' ? knownAddress(number) : `unknown-${number}@example.jp`
        const { answer, ms } = await post(`${site.address}${path}.data`, fields(email), pair, cookie)
        times[kind].push(ms)
        // The time and the change count of the page are public and vary between requests.
        answers.add(answer.replaceAll(email, '').replace(CHANGES, ''))
      }
      if (answers.size > 1) unlike.push(whereUnlike([...answers]))
    }
    const auc = areaUnderCurve(times.known, times.unknown)
    rows.push({
      what: `${what}, ${PAIRS} pairs`,
      figures: [
        figure('known', median(times.known), asMilliseconds),
        figure('unknown', median(times.unknown), asMilliseconds),
        figure('AUC', auc, asShare),
        atMost('from 0.5', Math.abs(auc - 0.5), MAX_AUC_DISTANCE, asShare),
        atMost('unlike answers', unlike.length, 0, asCount),
      ],
      notes: unlike.slice(0, 3),
    })
  }
  await mail.stop()
  return rows
}

/**
 * Returns the probability that a known e-mail address takes longer than an unknown one: 0.5 if the time reveals
 * nothing.
 */
function areaUnderCurve(known: number[], unknown: number[]) {
  const wins = known.map((ms) => unknown.filter((other) => other < ms).length)
  return wins.reduce((sum, win) => sum + win, 0) / (known.length * unknown.length)
}

const asShare = (value: number) => value.toFixed(3)

function whereUnlike([one = '', other = '']: string[]) {
  const at = [...one].findIndex((character, index) => character !== other[index])
  return [one, other].map((answer) => answer.slice(Math.max(0, at - 40), at + 80)).join('  ≠  ')
}

const knownAddress = (number: number) => `known-${number}@example.jp`

async function openAccounts(file: string) {
  const db = await openDatabase({ file })
  const hash = await hashPassword(password)
  const at = new Date().toISOString()
  for (let number = 0; number < Object.keys(forms).length * PAIRS; number += 1) {
    await addAccount(db, { name: '花', email: knownAddress(number), hash }, at)
  }
  await db.updateTable('accounts').set({ emailVerified: true }).execute()
  await db.destroy()
}

async function signIn(address: string, number: number) {
  const response = await send(`${address}/emaillogin.data`, { email: knownAddress(number), password }, number)
  const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0])
  if (cookies.length === 0) throw new Error(`Nobody was signed in: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
  return cookies.join('; ')
}

async function post(url: string, fields: Record<string, string>, network: number, cookie: string) {
  const began = performance.now()
  const response = await send(url, fields, network, cookie)
  const answer = `${response.status} ${response.headers.getSetCookie().join()} ${await response.text()}`
  return { answer, ms: performance.now() - began }
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
