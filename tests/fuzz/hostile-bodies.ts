import fc from 'fast-check'
import { anyText } from './any-text.ts'
import { brokenJson, brokenValues, contentTypes, formStates, noJson, strangeNames } from './hostile-values.ts'
import { corruptText, mostly, mutateFields, type Pair } from './mutations.ts'
import { type Body, percentEncode, toByteString } from './request-bytes.ts'

const anyValue = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...brokenValues) }, anyText(20))
const strangePair = fc.oneof(
  fc.tuple(fc.constantFrom(...strangeNames), anyValue),
  fc.tuple(fc.constantFrom('__intent__', '__state__'), fc.constantFrom(...formStates)),
)

/** Generates form fields. Some fields are omitted, changed, renamed or repeated, and some belong to no form. */
export function pairsOf(fields: Record<string, string>): fc.Arbitrary<Pair[]> {
  const ownPairs = mutateFields(fields, {
    other: anyValue,
    malformedPairs: (name, value) => [
      [],
      [
        [name, value],
        [name, ''],
      ],
      [[`${name}[0]`, value]],
      [[`${name}.x`, value]],
    ],
  })
  return fc
    .record({
      own: ownPairs,
      strange: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(strangePair, { maxLength: 3 })),
      repeated: fc.nat(),
      times: fc.oneof({ weight: 60, arbitrary: fc.constant(1) }, fc.constantFrom(2, 2, 300, 5000)),
    })
    .map(({ own: ownPairs, strange, repeated, times }) => {
      const all = [...ownPairs, ...strange]
      const repeatedPair = all[repeated % all.length]
      const fits = !repeatedPair || repeatedPair[0].length + repeatedPair[1].length < 200
      return repeatedPair && fits ? [...all, ...Array.from({ length: times - 1 }, () => repeatedPair)] : all
    })
}

/** Generates a form body with a correct or wrong content type. */
export function formBodies({ fields }: { fields: Record<string, string> }): fc.Arbitrary<Body> {
  const pairs = pairsOf(fields)
  const encoded = pairs.map((each) =>
    each.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&'),
  )
  const urlencoded = fc.oneof({ weight: 6, arbitrary: encoded }, corruptText(encoded))
  return fc.oneof(
    { weight: 6, arbitrary: urlencoded.map((bytes) => ({ type: 'application/x-www-form-urlencoded', bytes })) },
    { weight: 1, arbitrary: multipart(pairs) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom(...contentTypes), bytes: urlencoded }) },
    {
      weight: 1,
      arbitrary: pairs.map((each) => ({
        type: 'application/json',
        bytes: toByteString(JSON.stringify(Object.fromEntries(each))),
      })),
    },
  )
}

const EDGE = '----hostile'

/** Generates a multipart/form-data body (RFC 7578), correct or malformed. */
export function multipart(pairs: fc.Arbitrary<Pair[]>): fc.Arbitrary<Body> {
  const bytes = fc
    .record({
      pairs,
      file: fc.nat(),
      disposition: mostly<(name: string, file: string) => string>(
        (name, file) => `content-disposition: form-data; name="${name}"${file}`,
        (name) => `content-disposition: form-data; name=${name}`,
        () => 'content-disposition: form-data',
        () => 'content-disposition: attachment; filename="x"',
        () => 'content-type: text/plain',
        () => '',
        (name) => `content-disposition: form-data; name="${name}\r\nx: y`,
        (name) => `content-disposition: form-data; name="${name}"\r\ncontent-transfer-encoding: base64`,
        (name) => `content-disposition: form-data; name="${name}"\r\n${'x: y\r\n'.repeat(900)}z: 1`,
      ),
      end: mostly(`--${EDGE}--\r\n`, '', `--${EDGE}`, `--${EDGE}\r\n`, `--${EDGE}--`),
    })
    .map(({ pairs: fields, file, disposition, end }) => {
      const parts = fields.map(([name, value], index) => {
        // Sends every eighth text field as a file.
        const asFile = file % 8 === index % 8 && file > 0 ? '; filename="a.jpg"\r\ncontent-type: image/jpeg' : ''
        const escaped = toByteString(name).replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
        return `--${EDGE}\r\n${disposition(escaped, asFile)}\r\n\r\n${toByteString(value)}\r\n`
      })
      return parts.join('') + end
    })
  const type = mostly(
    `multipart/form-data; boundary=${EDGE}`,
    `multipart/form-data; boundary="${EDGE}"`,
    'multipart/form-data; boundary=other',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data',
    `multipart/form-data; boundary=${'x'.repeat(200)}`,
    `multipart/mixed; boundary=${EDGE}`,
    `multipart/form-data; charset=utf-16; boundary=${EDGE}`,
    `multipart/form-data; boundary=${EDGE}; boundary=other`,
    'multipart/form-data; boundary=\xff',
  )
  return fc.record({ type, bytes: fc.oneof({ weight: 6, arbitrary: bytes }, corruptText(bytes)) })
}

/** Bodies that fit no form and no JSON call. */
export const absurdBodies: fc.Arbitrary<Body> = fc.record({
  type: fc.constantFrom(...contentTypes, 'application/x-www-form-urlencoded', `multipart/form-data; boundary=${EDGE}`),
  bytes: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        '',
        '&',
        '=',
        '&&==&',
        '%',
        '%%%',
        '\0',
        '\xff\xfe\xfd',
        '\xed\xa0\x80',
        `--${EDGE}--`,
        `--${EDGE}\r\n\r\n`,
        'GET / HTTP/1.1\r\n\r\n',
      ),
    },
    { weight: 3, arbitrary: fc.constantFrom(...noJson, ...brokenJson).map(toByteString) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('a=1&'.repeat(5000), 'a&'.repeat(50_000), `text=${'%E3%81%82'.repeat(20_000)}`),
    },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000_000 }).map((size) => `text=${'x'.repeat(size)}`) },
    { weight: 1, arbitrary: fc.constantFrom('[', '{"a":', '"\\ud800",', '\xe3').map((piece) => piece.repeat(100_000)) },
  ),
})

/** Generates a JSON object with broken, duplicated or missing values, or a body that is not an object. */
export function jsonBodies(fields: Record<string, string>): fc.Arbitrary<Body> {
  const value = fc.oneof(
    fc.constantFrom(...brokenJson),
    anyValue.map((each) => JSON.stringify(each)),
  )
  const ownPairs = mutateFields(fields, {
    other: value,
    malformedPairs: (name, json) => [
      [],
      [
        [name, json],
        [name, 'null'],
      ],
    ],
  })
  const strange = fc.array(fc.tuple(fc.constantFrom(...strangeNames), value), { maxLength: 2 })
  const object = fc
    .tuple(ownPairs, fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, strange))
    .map(([pairs, others]) =>
      toByteString(`{${[...pairs, ...others].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`),
    )
  const bytes = fc.oneof(
    { weight: 10, arbitrary: object },
    { weight: 1, arbitrary: corruptText(object) },
    { weight: 1, arbitrary: fc.constantFrom(...noJson, ...brokenJson).map(toByteString) },
  )
  return fc.record({ type: mostly<string | null>('application/json', ...contentTypes), bytes })
}
