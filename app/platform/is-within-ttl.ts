/**
 * Whether a link or a proof is still valid. All times are in milliseconds. A creation in the future is from a clock that
 * was ahead, so that the link or proof is valid only if the difference is less than the TTL.
 */
export function isWithinTtl(createdAt: number, ttl: number, now: number) {
  return Math.abs(now - createdAt) < ttl
}
