/**
 * Returns a random number generator that repeats its numbers for the same seed. `next` returns a number that is at
 * least 0 and less than 1.
 */
export function randomFrom(seed: number) {
  let state = seed >>> 0
  // Mulberry32 is random enough for test choices.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    /** Returns an integer from `min` to `max`, both included. */
    between: (min: number, max: number) => min + Math.floor(next() * (max - min + 1)),
    /** Returns a random item, or undefined if the list is empty. */
    pick: <T>(items: readonly T[]) => items[Math.floor(next() * items.length)],
    chance: (share: number) => next() < share,
  }
}

export type Random = ReturnType<typeof randomFrom>
