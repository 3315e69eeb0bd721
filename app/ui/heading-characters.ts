export function headingCharacters(text: string) {
  return [...new Set(text)].filter((character) => !/[\s\p{C}]/u.test(character)).sort((a, b) => codeOf(a) - codeOf(b))
}

/** Returns the URL of a subset of the heading font. The URL never changes for the same characters: it is cached. */
export function headingFontUrl(characters: string[]) {
  const steps = characters.map((character, index) => codeOf(character) - codeOf(characters[index - 1] ?? '\0'))
  return `/fonts/heading.woff2?steps=${steps.map((step) => step.toString(36)).join('.')}`
}

export function decodeCharacters(steps: string): string[] | null {
  let code = 0
  const codes = steps.split('.').map((step) => (code += Number.parseInt(step, 36)))
  if (codes.some((each) => !(each > 0 && each <= 0x10ffff)) || codes.length > MAX_CHARACTERS) return null
  const characters = codes.map((each) => String.fromCodePoint(each))
  return headingFontUrl(headingCharacters(characters.join(''))).endsWith(`=${steps}`) ? characters : null
}

const MAX_CHARACTERS = 1000

export function rangeOf(characters: string[]) {
  return characters.map((character) => `U+${codeOf(character).toString(16)}`).join(',')
}

function codeOf(character: string) {
  return character.codePointAt(0) ?? 0
}
