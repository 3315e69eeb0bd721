import { assertDownload } from '../forms/assert-allowed.ts'
import { contactFields, memberFields } from '../members/member.ts'
import { approvedMembers, compareMembers } from '../members/members.server.ts'
import { mayManageMembers, refusalOfOrganising } from '../permissions.ts'
import { csvResponse } from '../platform/csv.server.ts'
import { formatTelephones } from '../platform/telephone.server.ts'
import { contextOf } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import type { Route } from './+types/member-list-file.ts'

export const handle = { cache: 'none' }

/** Serves the approved members as a CSV file. Only administrators receive the contact details. */
export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertDownload(visitor, refusalOfOrganising(visitor))
  if (!(await isCircleOn(db))) throw new Response('メンバー一覧はありません。', { status: 404 })
  const columns = ['username', 'accountname', ...(mayManageMembers(visitor) ? contactFields : [])] as const
  const members = await approvedMembers(db)
    .select(['id', 'resting', ...columns])
    .execute()
  const rows = members
    .sort(compareMembers)
    .map(({ resting, ...member }) => [
      ...columns.map((name) => (name === 'telNum' ? formatTelephones(member.telNum) : member[name])),
      resting ? '休会中' : '',
    ])
  return csvResponse('メンバー一覧', [[...columns.map((name) => memberFields[name].label), '状態'], ...rows])
}
