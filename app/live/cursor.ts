import type { Visitor } from '../permissions.ts'

/** Appends the account and roles of a visitor to a change ID: `PROCESS-COUNT.ACCOUNT:ROLES`. Guests have no suffix. */
export function cursorFor(visitor: Visitor, change: string) {
  if (!visitor) return change
  const { accountId, member, staff } = visitor
  const roles = `${member ? `:${Number(member.administrator)}${Number(member.admin)}` : ''}${staff ? `:${staff.role}` : ''}`
  return `${change}.${accountId}${roles}`
}

/** Returns the visitor part of a change ID. Visitors with equal parts have equal permissions. */
export function visitorPartOf(change: string) {
  return change.split('.').slice(1).join('.')
}

/** Splits a change ID into the ID of the server process and the number of the change. */
export function parseCursor(change: string) {
  const [processId, count] = (change.split('.')[0] ?? '').split('-')
  return { processId, count: Number(count) }
}

/** Whether `change` is older than `other`; false if the two are from different server processes. */
export function isBefore(change: string, other: string) {
  const [first, second] = [parseCursor(change), parseCursor(other)]
  return first.processId === second.processId && first.count < second.count
}
