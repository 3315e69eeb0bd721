import type { Books } from './trial-books.ts'
import type { Reply } from './trial-requests.ts'

/** The people who write. The invited sign up by a link that the administrator made. */
export type Person = 'administrator' | 'approved' | 'invited' | 'guest'

/** The names of all that the administrator does. */
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
 * Something that was sent: `sign` is what its doing leaves in the books, once however often it is sent. It was `kept` where
 * it was answered so, `refused` where it was answered that it was not, and `unknown` without such an answer.
 */
export type Deed = {
  by: Person
  what: DeedName
  sign: string
  send: (address: string) => Promise<Reply>
  state: 'sent' | 'kept' | 'refused' | 'unknown'
  /** What an answer that it was kept may have besides its status. */
  says: (reply: NonNullable<Reply>) => boolean
  status: number
  save?: string | undefined
}

export type Ledger = ReturnType<typeof openLedger>

// What the site says where it does not know either.
const WITHOUT_OUTCOME = '確認できませんでした'

/** Everything that was sent to one place, and what was answered. */
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
      // What is refused the second time may have been done the first.
      deed.state = 'unknown'
    } else deed.state = 'refused'
    return deed.state === 'kept' ? reply : null
  }

  return {
    deeds,
    /** A mark that nothing else in this place has. */
    mark() {
      marks += 1
      return { number: marks, text: `#${marks}#` }
    },
    /** Sends it and notes what came of it; gives the answer where it was kept. */
    async send(address: string, given: Pick<Deed, 'by' | 'what' | 'sign' | 'send'> & Partial<Pick<Deed, 'says'>>) {
      const deed: Deed = { says: () => true, ...given, state: 'sent', status: 0 }
      deeds.push(deed)
      return { reply: await attempt(address, deed), deed }
    },
    /** Sends again what was not answered, as who has the page open does. */
    async sendAgain(address: string) {
      for (const deed of deeds) if (deed.state === 'unknown') await attempt(address, deed)
    },
    count: (state: Deed['state']) => deeds.filter((deed) => deed.state === state).length,
    /** What the books lack, have twice, or have although it was said to be refused. */
    compare({ signs, saves }: Books) {
      const [lost, twice, denied]: [string[], string[], string[]] = [[], [], []]
      // The next version of the week is asked for again by who was refused it.
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
