/** The same numbers for the same seed: from 0 up to 1, and what is made of them. */
export function randomFrom(seed: number) {
  let state = seed >>> 0
  // Mulberry32: enough to choose what is tried.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    /** A whole number from `least` to `most`. */
    between: (least: number, most: number) => least + Math.floor(next() * (most - least + 1)),
    /** One of these; undefined where there is none. */
    one: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)],
    chance: (share: number) => next() < share,
  }
}

export type Random = ReturnType<typeof randomFrom>
