import { data } from 'react-router'
import type { Db } from '../../db/tables.ts'
import { mayEditSite } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { hasHadAdministrator } from '../settings/roles.server.ts'

export async function isRegistrationOpen(db: Db) {
  return (await isCircleOn(db)) || !(await hasHadAdministrator(db))
}

export async function requireRegistration(context: RequestContext) {
  if (!(await isRegistrationOpen(contextOf(context).db))) throw data(null, 404)
}

export async function requireMembership(context: RequestContext) {
  const { visitor } = contextOf(context)
  if (!visitor?.member && !mayEditSite(visitor)) await requireRegistration(context)
}
