import type { IntegrityReport } from './integrity-check.ts'
import type { Reply } from './requests.ts'

/** Person who writes. The invited person signs up through a link from the administrator. */
export type Person = 'administrator' | 'approved' | 'invited' | 'guest'

/** Names of all operations of the administrator. */
export const administratorOperations = [
  ...(['a new card', 'a card', 'a deleted card', 'a restored card', 'a reorder'] as const),
  ...(['the weekly hours', 'a special day', 'a removed special day'] as const),
  ...(['a new event', 'an event', 'a deleted event', 'an RSVP'] as const),
  ...(['a step of a registration', 'a registration', 'a registration by a program', 'an approval'] as const),
  ...(['an image', 'a message done'] as const),
  ...(['a new page', 'a page', 'a new card of a page', 'a deleted page'] as const),
  ...(['an invitation', 'a revoked invitation', 'a role', 'a removed staff member'] as const),
  ...(['settings: sign', 'settings: words', 'settings: place', 'settings: guide', 'settings: mail'] as const),
  ...(['settings: editing', 'setup: shop', 'setup: hours', 'setup: pictures', 'setup: pages'] as const),
] as const
export type OperationName =
  | (typeof administratorOperations)[number]
  | 'a sign-up by invitation'
  | 'a message'
  | 'a table'

/**
 * Logged request. If the request succeeds, its `marker` is stored once, even if the request is repeated. The state
 * `refused` means rejected. The state `unknown` means neither confirmed nor rejected.
 */
export type LoggedOperation = {
  by: Person
  what: OperationName
  marker: string
  send: (address: string) => Promise<Reply>
  state: 'sent' | 'confirmed' | 'refused' | 'unknown'
  /** Whether a response with a success status confirms the operation. */
  isConfirmed: (reply: NonNullable<Reply>) => boolean
  status: number
  save?: string | undefined
}

export type OperationLog = ReturnType<typeof openOperationLog>

// Text in a response of the site if the outcome of a save is unknown.
const UNKNOWN_OUTCOME_TEXT = '確認できませんでした'

/** Opens a log of all operations on one site copy, with their results. */
export function openOperationLog() {
  const operations: LoggedOperation[] = []
  let markerCount = 0

  async function attempt(address: string, operation: LoggedOperation) {
    const isRepeat = operation.state === 'unknown'
    const reply = await operation.send(address)
    operation.status = reply?.status ?? 0
    if (reply && reply.status < 400 && operation.isConfirmed(reply)) {
      operation.state = 'confirmed'
      operation.save = /[?&]undo=([\w-]+)/.exec(reply.location)?.[1]
    } else if (!reply || isRepeat || reply.status < 400 || reply.body.includes(UNKNOWN_OUTCOME_TEXT)) {
      // If a repeated request is rejected, the first request may have succeeded.
      operation.state = 'unknown'
    } else operation.state = 'refused'
    return operation.state === 'confirmed' ? reply : null
  }

  return {
    operations,
    /** Returns a marker that is unique in this site copy. */
    nextMarker() {
      markerCount += 1
      return { number: markerCount, text: `#${markerCount}#` }
    },
    /** Sends an operation and logs its result. Returns the response if the operation was confirmed. */
    async send(
      address: string,
      request: Pick<LoggedOperation, 'by' | 'what' | 'marker' | 'send'> & Partial<Pick<LoggedOperation, 'isConfirmed'>>,
    ) {
      const operation: LoggedOperation = { isConfirmed: () => true, ...request, state: 'sent', status: 0 }
      operations.push(operation)
      return { reply: await attempt(address, operation), operation }
    },
    /** Repeats the operations whose result is unknown, as an open page does. */
    async repeatUnknown(address: string) {
      for (const operation of operations) if (operation.state === 'unknown') await attempt(address, operation)
    },
    count: (state: LoggedOperation['state']) => operations.filter((operation) => operation.state === state).length,
    /** Returns the operations that are missing, duplicated, or stored although they were rejected. */
    compare({ markers, saves }: IntegrityReport) {
      const [lost, twice, denied]: [string[], string[], string[]] = [[], [], []]
      // The marker of a change of the week is its version. After a rejected change, another operation may store the
      // same version, so the marker may be present.
      const mayBeThere = new Set(operations.flatMap(({ marker, state }) => (state === 'refused' ? [] : [marker])))
      for (const { what, marker, state, status, save } of operations) {
        const count = markers.get(marker) ?? 0
        const description = `${what} (${marker}, status ${status})`
        if (state === 'confirmed' && ((marker && count === 0) || (save && !saves.has(save)))) lost.push(description)
        if (count > 1) twice.push(`${description}: ${count} times`)
        if (state === 'refused' && count > 0 && !mayBeThere.has(marker)) denied.push(description)
      }
      return { lost, twice, denied }
    },
  }
}
