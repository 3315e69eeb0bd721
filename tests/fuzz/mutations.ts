import fc from 'fast-check'

/** Name and value of a field. In JSON bodies, the value is JSON text. */
export type Pair = readonly [name: string, value: string]

/** Generates the value most of the time, and rarely one of the others. A failing request shrinks to the value. */
export function usually<T>(value: T, ...others: T[]) {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 12, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )
}

/** Generates fields with their own value, rarely with another value or a malformed name. */
export function changed(
  fields: Record<string, string>,
  { other, wrongly }: { other: fc.Arbitrary<string>; wrongly: (name: string, value: string) => Pair[][] },
) {
  const own = Object.entries(fields).map(([name, value]) =>
    fc.oneof(
      { withCrossShrink: true },
      { weight: 12, arbitrary: fc.constant<Pair[]>([[name, value]]) },
      { weight: 2, arbitrary: other.map((each): Pair[] => [[name, each]]) },
      { weight: 1, arbitrary: fc.constantFrom<Pair[]>(...wrongly(name, value)) },
    ),
  )
  return fc.tuple(...own).map((each) => each.flat())
}

/** Generates the text with a wrong piece inserted, or cut off. */
export function damaged(text: fc.Arbitrary<string>) {
  const pieces = [
    '%',
    '%zz',
    '%e3%8',
    '%ff',
    '%00',
    '\0',
    '\xff',
    '\xe3\x81',
    '+',
    '&',
    '=',
    '"',
    '\r\n',
    '--',
    '{',
    null,
  ]
  return fc.tuple(text, fc.nat({ max: 1000 }), fc.constantFrom(...pieces)).map(([whole, at, piece]) => {
    const place = Math.floor((whole.length * at) / 1001)
    return whole.slice(0, place) + (piece === null ? '' : piece + whole.slice(place))
  })
}
