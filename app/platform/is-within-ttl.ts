/**
 * Whether a link or a proof is still valid. All times are in milliseconds. If the creation is later than `now` by the
 * TTL, a clock was ahead at the creation.
 */
export function isWithinTtl(createdAt: number, ttl: number, now: number) {
  return Math.abs(now - createdAt) < ttl
}
