import type { Visitor } from '../permissions.ts'

/**
 * A change as a page is told of it: "life-count", how many there were in this life of the server, and behind a dot for
 * whom what is told, or shown, is meant. A guest's has no dot.
 */
export function changeFor(visitor: Visitor, change: string) {
  if (!visitor) return change
  const { accountId, member, staff } = visitor
  const roles = `${member ? `:${Number(member.administrator)}${Number(member.admin)}` : ''}${staff ? `:${staff.role}` : ''}`
  return `${change}.${accountId}${roles}`
}

/** For whom that is: two are the same where they may see the same. */
export function whose(change: string) {
  return change.split('.').slice(1).join('.')
}

/** The life of the server and the number of the change in it. */
export function countOf(change: string) {
  const [life, count] = (change.split('.')[0] ?? '').split('-')
  return { life, count: Number(count) }
}

/** Whether a change was certainly before another one: of two lives of the server nobody knows. */
export function isBefore(change: string, other: string) {
  const [one, next] = [countOf(change), countOf(other)]
  return one.life === next.life && one.count < next.count
}
