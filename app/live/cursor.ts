import type { Visitor } from '../permissions.ts'

export function cursorFor(visitor: Visitor, change: string) {
  if (!visitor) return change
  const { accountId, member, staff } = visitor
  const roles = `${member ? `:${Number(member.administrator)}${Number(member.admin)}` : ''}${staff ? `:${staff.role}` : ''}`
  return `${change}.${accountId}${roles}`
}

/** Returns the part for the account and roles. Visitors with equal parts have equal permissions. */
export function visitorPartOf(change: string) {
  return change.split('.').slice(1).join('.')
}

export function parseCursor(change: string) {
  const [processId, count] = (change.split('.')[0] ?? '').split('-')
  return { processId, count: Number(count) }
}

export function isBefore(change: string, other: string) {
  const [first, second] = [parseCursor(change), parseCursor(other)]
  return first.processId === second.processId && first.count < second.count
}
