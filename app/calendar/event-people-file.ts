import { assertDownload } from '../forms/assert-allowed.ts'
import { mayManageMembers, refusalOfOrganising } from '../permissions.ts'
import { csvResponse } from '../platform/csv.server.ts'
import { contextOf } from '../request.ts'
import type { Route } from './+types/event-people-file.ts'
import { readEventWithRsvps } from './event-people.server.ts'
import { formatCame, formatRsvp, splitByCapacity } from './rsvp.ts'
import { readParties } from './rsvps.server.ts'

export const handle = { cache: 'none' }

/** Serves the people who come to an event, and the waitlist, as a CSV file. Only administrators receive the notes. */
export async function loader({ context, params }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertDownload(visitor, refusalOfOrganising(visitor))
  const event = await readEventWithRsvps(db, params.id)
  if (!event) throw new Response('予定が見つかりません。', { status: 404 })
  const hasNotes = mayManageMembers(visitor)
  const { coming, waiting } = splitByCapacity(await readParties(db, [event]), event.capacity)
  const rows = [...coming, ...waiting].map((party) => [
    party.name,
    party.memberId === null ? 'ゲスト' : 'メンバー',
    formatRsvp({ ...party, companions: 0, came: null, waiting: waiting.indexOf(party) + 1 }),
    String(party.companions),
    formatCame(party.came),
    ...(hasNotes ? [party.note] : []),
  ])
  const header = ['お名前', '区分', '出欠', 'お連れ様', '来場', ...(hasNotes ? ['ひとこと'] : [])]
  return csvResponse(`${event.day} ${event.title}の参加者`, [header, ...rows])
}
