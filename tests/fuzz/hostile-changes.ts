import fc from 'fast-check'

/** A field's name and its value, for JSON as JSON. */
export type Pair = readonly [name: string, value: string]

/** Mostly the value, now and then one of the others; the value is also what a failing request is reduced to. */
export function usually<T>(value: T, ...others: T[]) {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 12, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )
}

/** The fields as they should be, now and then with another value, or in one of the wrong ways in which a field can be sent. */
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

/** The text with something put where it does not belong, or without its end. */
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
