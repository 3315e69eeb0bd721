/** The characters of a text that the heading font is asked for: each once, in order, without spaces. */
export function headingCharacters(text: string) {
  return [...new Set(text)].filter((character) => !/[\s\p{C}]/u.test(character)).sort((a, b) => codeOf(a) - codeOf(b))
}

/** The address of the heading font with just these characters; the same characters have the same address for ever. */
export function headingFontUrl(characters: string[]) {
  const steps = characters.map((character, index) => codeOf(character) - codeOf(characters[index - 1] ?? '\0'))
  return `/fonts/heading.woff2?steps=${steps.map((step) => step.toString(36)).join('.')}`
}

/** The characters that such an address asks for; null where it is not one of ours. */
export function charactersAt(steps: string): string[] | null {
  let code = 0
  const codes = steps.split('.').map((step) => (code += Number.parseInt(step, 36)))
  if (codes.some((each) => !(each > 0 && each <= 0x10ffff)) || codes.length > MOST) return null
  const characters = codes.map((each) => String.fromCodePoint(each))
  return headingFontUrl(headingCharacters(characters.join(''))).endsWith(`=${steps}`) ? characters : null
}

const MOST = 1000

/** The CSS `unicode-range` of these characters. */
export function rangeOf(characters: string[]) {
  return characters.map((character) => `U+${codeOf(character).toString(16)}`).join(',')
}

function codeOf(character: string) {
  return character.codePointAt(0) ?? 0
}
