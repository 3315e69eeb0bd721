import fc from 'fast-check'

const SURROGATES_START = 0xd800
const SURROGATES = 0x800

// The unit "binary" of fast-check does the same, but first builds a map of all 1,112,064 characters.
const character = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < SURROGATES_START ? index : index + SURROGATES),
  (text) => {
    const [only, ...others] = typeof text === 'string' ? text : ''
    const code = others.length > 0 ? undefined : only?.codePointAt(0)
    if (code === undefined) throw new Error(`Unknown character ${text}; expected one code point`)
    return code < SURROGATES_START ? code : code - SURROGATES
  },
)

/** Generates texts of any characters, without lone surrogates. */
export function anyText(maxLength: number) {
  return fc.string({ unit: character, maxLength })
}
