import { assertDownload } from '../forms/assert-allowed.ts'
import { mayManageMembers, refusalOfOrganising } from '../permissions.ts'
import { csvResponse } from '../platform/csv.server.ts'
import { contextOf } from '../request.ts'
import type { Route } from './+types/event-people-file.ts'
import { readEventPeople, readEventWithRsvps } from './event-people.server.ts'
import { formatCame, groupPeople } from './rsvp.ts'

export const handle = { cache: 'none' }

/** Serves the people who come to an event, and the waitlist, as a CSV file. Only administrators receive the notes. */
export async function loader({ context, params }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertDownload(visitor, refusalOfOrganising(visitor))
  const event = await readEventWithRsvps(db, params.id)
  if (!event) throw new Response('予定が見つかりません。', { status: 404 })
  const { coming, waiting } = groupPeople(await readEventPeople(db, visitor, event))
  const hasNotes = mayManageMembers(visitor)
  const rows = [...coming, ...waiting].map((person) => [
    person.name,
    person.memberId === null ? 'ゲスト' : 'メンバー',
    person.waiting === null ? '参加' : `キャンセル待ち${person.waiting}番目`,
    String(person.companions),
    formatCame(person.came),
    ...(hasNotes ? [person.note] : []),
  ])
  const header = ['お名前', '区分', '出欠', 'お連れ様', '来場', ...(hasNotes ? ['ひとこと'] : [])]
  return csvResponse(`${event.day} ${event.title}の参加者`, [header, ...rows])
}
