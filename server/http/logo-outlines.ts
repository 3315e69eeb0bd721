import { readFileSync } from 'node:fs'
import { Blob, Buffer, Face, Font, shape } from 'harfbuzzjs'
import { graphemes } from '../../app/ui/characters.ts'

/** In ems, from the start of the baseline. */
export type Outlines = { paths: string; left: number; right: number; top: number; bottom: number; width: number }

export function loadFont(file: string) {
  const face = new Face(new Blob(new Uint8Array(readFileSync(new URL(import.meta.resolve(file))))))
  return { font: new Font(face), em: face.upem }
}
type LoadedFont = ReturnType<typeof loadFont>

export function drawableCharacters(text: string, { font }: LoadedFont) {
  return graphemes(text).filter(
    (character) =>
      // Also excludes lone surrogates and U+FFFD.
      !/[\p{C}\uFFFD]/u.test(character) &&
      glyphsOf(character, font).every(({ id }) => id !== 0) &&
      glyphsOf(character, font).some(({ id }) => font.glyphToPath(id) !== ''),
  )
}

/** `spacing` is the letter spacing in ems. */
export function outlineText(text: string, { font, em }: LoadedFont, spacing = 0): Outlines {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity }
  let paths = ''
  let x = 0
  for (const { id, advance, dx, dy } of glyphsOf(text, font)) {
    const path = font.glyphToPath(id)
    const origin = { x: x + dx / em, y: -dy / em }
    paths += `<path transform="translate(${origin.x} ${origin.y}) scale(${1 / em} ${-1 / em})" d="${path}"/>`
    for (const [, right, up] of path.matchAll(/(-?[\d.]+)[ ,](-?[\d.]+)/g)) {
      const [inkX, inkY] = [origin.x + Number(right) / em, origin.y - Number(up) / em]
      box.left = Math.min(box.left, inkX)
      box.right = Math.max(box.right, inkX)
      box.top = Math.min(box.top, inkY)
      box.bottom = Math.max(box.bottom, inkY)
    }
    x += advance / em + spacing
  }
  return { paths, ...box, width: Math.max(0, x - spacing) }
}

function glyphsOf(text: string, font: Font) {
  const buffer = new Buffer()
  buffer.addText(text)
  buffer.guessSegmentProperties()
  shape(font, buffer)
  return buffer.getGlyphInfosAndPositions().map(({ codepoint: id, xAdvance = 0, xOffset = 0, yOffset = 0 }) => {
    return { id, advance: xAdvance, dx: xOffset, dy: yOffset }
  })
}
