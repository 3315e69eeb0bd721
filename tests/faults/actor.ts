import { readForms } from '../../server/testing-forms.ts'
import type { OperationLog, OperationName } from './operation-log.ts'
import type { Random } from './random.ts'
import { send } from './requests.ts'
import type { Cookies } from './site-copy.ts'

/** Person who writes to a site, with the records that only this person creates and changes. */
export type Actor = {
  address: string
  person: 'administrator' | 'approved'
  cookies: Cookies
  log: OperationLog
  random: Random
  /** Records in a known state. After a change without a response, the record is removed from this list. */
  cards: { id: string; version: number; collection: string }[]
  binned: { id: string; version: number; collection: string }[]
  events: { id: string; version: number; day: string; answers: Map<string, number> }[]
  specialDays: string[]
  applicants: string[]
  /** Contains the actor's `person` while a registration by this person is in progress. */
  registering: Set<Actor['person']>
  /** Pages without cards. */
  pages: { id: string; version: number }[]
  /** Names of the staff members who signed up by invitation. */
  hired: string[]
}

export type Operation = (actor: Actor) => Promise<void>

/** Submits a form as the person of the actor. */
export function sendForm(
  actor: Actor,
  path: string,
  form: Record<string, string>,
  marker: string,
  what: OperationName,
  isConfirmed?: (reply: { location: string }) => boolean,
) {
  const cookie = actor.cookies[actor.person]
  return actor.log.send(actor.address, {
    by: actor.person,
    what,
    marker,
    send: (address) => send(address, path, { cookie, form }),
    ...(isConfirmed && { isConfirmed }),
  })
}

/**
 * Finds the form at `path` that has all of `expectedFields`. Returns the fields that a browser would send for it.
 * Returns null if the page did not load. If the page does not have the form, logs a rejection of the operation `what`.
 */
export async function readForm(
  actor: Actor,
  path: string,
  expectedFields: Record<string, string | undefined>,
  what: OperationName,
) {
  const reply = await send(actor.address, path, { cookie: actor.cookies[actor.person] })
  if (!reply || reply.status >= 500) return null
  const forms = readForms(reply.body).map(({ fields }) => Object.fromEntries(fields))
  const form = forms.find((fields) =>
    Object.entries(expectedFields).every(([name, value]) =>
      value === undefined ? name in fields : fields[name] === value,
    ),
  )
  if (reply.status === 200 && form) return form
  const status = Math.max(403, reply.status)
  await actor.log.send(actor.address, { by: actor.person, what, marker: '', send: async () => ({ ...reply, status }) })
  return null
}

/**
 * Removes a random item of the list and returns the item. If the list is empty, `fillList` fills it first. Returns
 * undefined if the list stays empty.
 */
export async function takeRandom<T>(actor: Actor, items: T[], fillList: Operation) {
  if (items.length === 0) await fillList(actor)
  return items.splice(actor.random.between(0, Math.max(0, items.length - 1)), 1)[0]
}

/**
 * Returns a function that sends the request at its first call only. The request has no idempotency key, so a repetition
 * could be stored twice.
 */
export function once(work: (address: string) => ReturnType<typeof send>) {
  let sent = false
  return async (address: string) => {
    if (sent) return null
    sent = true
    return work(address)
  }
}

/** Returns the documents of a collection, or an empty list if the request failed. */
export async function fetchDocuments({ address, cookies, person }: Actor, collection: string) {
  const reply = await send(address, `/api/collections/${collection}`, { cookie: cookies[person] })
  return reply?.status === 200 ? (JSON.parse(reply.body) as { id: string; version: number }[]) : []
}

/** Returns an IP address in a network that no other operation uses. */
export function networkOf(number: number) {
  return `2001:db8:${(number >> 16).toString(16)}:${(number % 65536).toString(16)}::1`
}
