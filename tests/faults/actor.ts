import { formsIn } from '../../server/testing-forms.ts'
import type { DeedName, Ledger } from './operation-log.ts'
import type { Cookies } from './site-copy.ts'
import type { Random } from './random.ts'
import { send } from './requests.ts'

/** Actor: a person who writes to a site, with the records that only this person creates and changes. */
export type Hand = {
  address: string
  person: 'administrator' | 'approved'
  cookies: Cookies
  ledger: Ledger
  random: Random
  /** Records in a known state. A record is dropped after a change without a response. */
  cards: { id: string; version: number; collection: string }[]
  binned: { id: string; version: number; collection: string }[]
  events: { id: string; version: number; day: string; answers: Map<string, number> }[]
  specialDays: string[]
  applicants: string[]
  /** Contains the person of the actor during a registration. */
  registering: Set<Hand['person']>
  /** Pages without cards. */
  pages: { id: string; version: number }[]
  /** Names of the staff members who signed up by invitation. */
  hired: string[]
}

export type Deed = (hand: Hand) => Promise<void>

/** Sends a form as the person of the actor. */
export function sendForm(
  hand: Hand,
  path: string,
  form: Record<string, string>,
  sign: string,
  what: DeedName,
  says?: (reply: { location: string }) => boolean,
) {
  const cookie = hand.cookies[hand.person]
  return hand.ledger.send(hand.address, {
    by: hand.person,
    what,
    sign,
    send: (address) => send(address, path, { cookie, form }),
    ...(says && { says }),
  })
}

/**
 * Returns the fields that a browser would send for the form at `path` that has all of `names`. Returns null if the page
 * did not load. A page without that form is logged as a rejection of `what`.
 */
export async function readForm(hand: Hand, path: string, names: Record<string, string | undefined>, what: DeedName) {
  const reply = await send(hand.address, path, { cookie: hand.cookies[hand.person] })
  if (!reply || reply.status >= 500) return null
  const forms = formsIn(reply.body).map(({ fields }) => Object.fromEntries(fields))
  const form = forms.find((fields) =>
    Object.entries(names).every(([name, value]) => (value === undefined ? name in fields : fields[name] === value)),
  )
  if (reply.status === 200 && form) return form
  const status = Math.max(403, reply.status)
  await hand.ledger.send(hand.address, { by: hand.person, what, sign: '', send: async () => ({ ...reply, status }) })
  return null
}

/**
 * Removes a random item of the list and returns it. `make` fills an empty list. Returns undefined if the list stays
 * empty.
 */
export async function takeOne<T>(hand: Hand, list: T[], make: Deed) {
  if (list.length === 0) await make(hand)
  return list.splice(hand.random.between(0, Math.max(0, list.length - 1)), 1)[0]
}

/** Returns a function that sends the request on its first call only, because the request has no idempotency key. */
export function once(work: (address: string) => ReturnType<typeof send>) {
  let sent = false
  return async (address: string) => {
    if (sent) return null
    sent = true
    return work(address)
  }
}

/** Returns the documents of a collection, or an empty list if the request failed. */
export async function documents({ address, cookies, person }: Hand, collection: string) {
  const reply = await send(address, `/api/collections/${collection}`, { cookie: cookies[person] })
  return reply?.status === 200 ? (JSON.parse(reply.body) as { id: string; version: number }[]) : []
}

/** Returns an IP address in a network that no other operation uses. */
export function networkOf(mark: number) {
  return `2001:db8:${(mark >> 16).toString(16)}:${(mark % 65536).toString(16)}::1`
}
