import type { Visitor } from '../permissions.ts'

/** Returns a visitor's change ID: "process-count", then a dot, the account and its roles. A guest's ID has no dot. */
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

export function parseCursor(change: string) {
  const [life, count] = (change.split('.')[0] ?? '').split('-')
  return { life, count: Number(count) }
}

/** Whether a change is certainly older than the other; false for different server processes. */
export function isBefore(change: string, other: string) {
  const [one, next] = [parseCursor(change), parseCursor(other)]
  return one.life === next.life && one.count < next.count
}
