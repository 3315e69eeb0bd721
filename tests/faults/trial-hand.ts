import { readForms } from '../../server/testing-forms.ts'
import type { DeedName, Ledger } from './trial-ledger.ts'
import type { Cookies } from './trial-place.ts'
import type { Random } from './trial-random.ts'
import { send } from './trial-requests.ts'

/** A person who writes to a site, and the records that this person alone has made and changes. */
export type Hand = {
  address: string
  person: 'administrator' | 'approved'
  cookies: Cookies
  ledger: Ledger
  random: Random
  /** Records whose state is known: one whose change was not answered is left out from then on. */
  cards: { id: string; version: number; collection: string }[]
  binned: { id: string; version: number; collection: string }[]
  events: { id: string; version: number; day: string; answers: Map<string, number> }[]
  specialDays: string[]
  applicants: string[]
  /** Contains the person of the hand while they register somebody. */
  registering: Set<Hand['person']>
  /** Pages of the owner's own without cards. */
  pages: { id: string; version: number }[]
  /** The names of the people who have come to the shop by invitation. */
  hired: string[]
}

export type Deed = (hand: Hand) => Promise<void>

/** Sends a form as the person of the hand. */
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
 * Returns the fields that a browser would send of the form at `path` that has all of `names`; null if the page did not come.
 * A page without that form is noted as a refusal of `what`.
 */
export async function readForm(hand: Hand, path: string, names: Record<string, string | undefined>, what: DeedName) {
  const reply = await send(hand.address, path, { cookie: hand.cookies[hand.person] })
  if (!reply || reply.status >= 500) return null
  const forms = readForms(reply.body).map(({ fields }) => Object.fromEntries(fields))
  const form = forms.find((fields) =>
    Object.entries(names).every(([name, value]) => (value === undefined ? name in fields : fields[name] === value)),
  )
  if (reply.status === 200 && form) return form
  const status = Math.max(403, reply.status)
  await hand.ledger.send(hand.address, { by: hand.person, what, sign: '', send: async () => ({ ...reply, status }) })
  return null
}

/** Takes one out of a list by chance, which `make` fills if it is empty; undefined if that was not done. */
export async function takeOne<T>(hand: Hand, list: T[], make: Deed) {
  if (list.length === 0) await make(hand)
  return list.splice(hand.random.between(0, Math.max(0, list.length - 1)), 1)[0]
}

/** Sends a request the first time alone: it has no key by which the site would know it again. */
export function once(work: (address: string) => ReturnType<typeof send>) {
  let sent = false
  return async (address: string) => {
    if (sent) return null
    sent = true
    return work(address)
  }
}

/** Returns the documents of a collection; none if they did not come. */
export async function documents({ address, cookies, person }: Hand, collection: string) {
  const reply = await send(address, `/api/collections/${collection}`, { cookie: cookies[person] })
  return reply?.status === 200 ? (JSON.parse(reply.body) as { id: string; version: number }[]) : []
}

/** Returns an IP address in a network that no other mark of the ledger has. */
export function networkOf(mark: number) {
  return `2001:db8:${(mark >> 16).toString(16)}:${(mark % 65536).toString(16)}::1`
}
