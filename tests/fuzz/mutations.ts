import fc from 'fast-check'

/** Name and value of a field. In JSON bodies, the value is JSON text. */
export type Pair = readonly [name: string, value: string]

/** Generates `value` most of the time, and rarely one of `others`. A failing request shrinks to `value`. */
export function mostly<T>(value: T, ...others: T[]) {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 12, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )
}

/** Generates fields, most of them unchanged. A few fields have another value or a malformed name. */
export function mutateFields(
  fields: Record<string, string>,
  { other, malformedPairs }: { other: fc.Arbitrary<string>; malformedPairs: (name: string, value: string) => Pair[][] },
) {
  const arbitraries = Object.entries(fields).map(([name, value]) =>
    fc.oneof(
      { withCrossShrink: true },
      { weight: 12, arbitrary: fc.constant<Pair[]>([[name, value]]) },
      { weight: 2, arbitrary: other.map((each): Pair[] => [[name, each]]) },
      { weight: 1, arbitrary: fc.constantFrom<Pair[]>(...malformedPairs(name, value)) },
    ),
  )
  return fc.tuple(...arbitraries).map((each) => each.flat())
}

/** Generates the text, either truncated or with a wrong piece inserted. */
export function corruptText(text: fc.Arbitrary<string>) {
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
    const position = Math.floor((whole.length * at) / 1001)
    return whole.slice(0, position) + (piece === null ? '' : piece + whole.slice(position))
  })
}
