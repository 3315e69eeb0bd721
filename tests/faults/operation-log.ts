import type { Books } from './integrity-check.ts'
import type { Reply } from './requests.ts'

/** People who write. The invited person signs up through a link of the administrator. */
export type Person = 'administrator' | 'approved' | 'invited' | 'guest'

/** Names of all operations of the administrator. */
export const administratorDeeds = [
  ...(['a new card', 'a card', 'the end of a card', 'a card from the bin', 'an order'] as const),
  ...(['the week', 'a special day', 'the end of a special day'] as const),
  ...(['a new event', 'an event', 'the end of an event', 'an answer'] as const),
  ...(['a step of a registration', 'a registration', 'a registration by a program', 'an approval'] as const),
  ...(['a picture', 'a message done'] as const),
  ...(['a new page', 'a page', 'a new card of a page', 'the end of a page'] as const),
  ...(['an invitation', 'the end of an invitation', 'a role', 'the end of a staff member'] as const),
  ...(['settings: sign', 'settings: words', 'settings: place', 'settings: guide', 'settings: mail'] as const),
  ...(['settings: editing', 'setup: shop', 'setup: hours', 'setup: pictures', 'setup: pages'] as const),
] as const
export type DeedName = (typeof administratorDeeds)[number] | 'a sign-up by invitation' | 'a message'

/**
 * Logged request. Its success leaves the marker `sign` in the data once, also when it is repeated. `kept` was
 * confirmed, `refused` was rejected, and `unknown` had neither response.
 */
export type Deed = {
  by: Person
  what: DeedName
  sign: string
  send: (address: string) => Promise<Reply>
  state: 'sent' | 'kept' | 'refused' | 'unknown'
  /** Whether a response with a success status confirms the operation. */
  says: (reply: NonNullable<Reply>) => boolean
  status: number
  save?: string | undefined
}

export type Ledger = ReturnType<typeof openLedger>

// Text of the site's response if the outcome of a save is unknown.
const WITHOUT_OUTCOME = '確かめられませんでした'

/** Opens a log of all operations on one site copy, with their results. */
export function openLedger() {
  const deeds: Deed[] = []
  let marks = 0

  async function attempt(address: string, deed: Deed) {
    const again = deed.state === 'unknown'
    const reply = await deed.send(address)
    deed.status = reply?.status ?? 0
    if (reply && reply.status < 400 && deed.says(reply)) {
      deed.state = 'kept'
      deed.save = /[?&]undo=([\w-]+)/.exec(reply.location)?.[1]
    } else if (!reply || again || reply.status < 400 || reply.body.includes(WITHOUT_OUTCOME)) {
      // If a repeated request is rejected, the first one may have succeeded.
      deed.state = 'unknown'
    } else deed.state = 'refused'
    return deed.state === 'kept' ? reply : null
  }

  return {
    deeds,
    /** Returns a marker that is unique in this site copy. */
    mark() {
      marks += 1
      return { number: marks, text: `#${marks}#` }
    },
    /** Sends an operation and logs its result. Returns the response if the operation was confirmed. */
    async send(address: string, given: Pick<Deed, 'by' | 'what' | 'sign' | 'send'> & Partial<Pick<Deed, 'says'>>) {
      const deed: Deed = { says: () => true, ...given, state: 'sent', status: 0 }
      deeds.push(deed)
      return { reply: await attempt(address, deed), deed }
    },
    /** Repeats the operations without a known result, as an open page does. */
    async sendAgain(address: string) {
      for (const deed of deeds) if (deed.state === 'unknown') await attempt(address, deed)
    },
    count: (state: Deed['state']) => deeds.filter((deed) => deed.state === state).length,
    /** Returns the operations that are missing, duplicated, or stored although they were rejected. */
    compare({ signs, saves }: Books) {
      const [lost, twice, denied]: [string[], string[], string[]] = [[], [], []]
      // A rejected change of the week is repeated with the same version, so another operation may have left its marker.
      const mayBeThere = new Set(deeds.flatMap(({ sign, state }) => (state === 'refused' ? [] : [sign])))
      for (const { what, sign, state, status, save } of deeds) {
        const times = signs.get(sign) ?? 0
        const told = `${what} (${sign}, answered ${status})`
        if (state === 'kept' && ((sign && times === 0) || (save && !saves.has(save)))) lost.push(told)
        if (times > 1) twice.push(`${told}: ${times} times`)
        if (state === 'refused' && times > 0 && !mayBeThere.has(sign)) denied.push(told)
      }
      return { lost, twice, denied }
    },
  }
}
