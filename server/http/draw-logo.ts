import sharp from 'sharp'
import type { Logo } from '../../app/settings/logo.server.ts'
import type { LogoImage } from '../../app/settings/logo-image.ts'
import { graphemes } from '../../app/ui/characters.ts'
import { palettes } from '../../app/ui/palettes.ts'
import { curtain, renderLogoSvg, renderShareSvg, setInLine, stackVertically } from './logo-drawing.ts'
import { drawableCharacters, loadFont, outlineText } from './logo-outlines.ts'

const bold = loadFont('@expo-google-fonts/shippori-mincho/800ExtraBold/ShipporiMincho_800ExtraBold.ttf')
const font = loadFont('@expo-google-fonts/shippori-mincho/600SemiBold/ShipporiMincho_600SemiBold.ttf')

const JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const MAX_LINE_CHARACTERS = 11

type LogoShape = Parameters<typeof renderLogoSvg>[2]

export async function drawLogo(logo: Logo): Promise<Record<LogoImage, Uint8Array>> {
  const png = (side: number, shape: LogoShape) =>
    sharp(Buffer.from(renderIcon(logo, shape)), { density: (72 * side) / 512 })
      .resize(side)
      .png({ compressionLevel: 9 })
      .toBuffer()
  return {
    'icon-32.png': await png(32, 'rounded'),
    // iOS rounds the icon itself and blackens transparent areas.
    'icon-180.png': await png(180, 'full bleed'),
    'icon-192.png': await png(192, 'rounded'),
    'icon-512.png': await png(512, 'rounded'),
    'maskable-192.png': await png(192, 'maskable'),
    'maskable-512.png': await png(512, 'maskable'),
    'share.jpg': await sharp(Buffer.from(renderSharePreview(logo)))
      .flatten()
      .jpeg({ quality: 84, mozjpeg: true })
      .toBuffer(),
  }
}

/** Returns an icon as an SVG of 512 × 512 pixels. */
export function renderIcon({ characters, palette }: Logo, shape: LogoShape) {
  const motif = drawMotif(drawableCharacters(characters, bold))
  return renderLogoSvg(motif ?? curtain, palettes[palette], shape)
}

/** Returns the link preview as an SVG of 1200 × 630 pixels. */
export function renderSharePreview({ characters, name, palette }: Logo) {
  const motif = drawMotif(drawableCharacters(characters, bold))
  const lines = linesOf(drawableText(name)).map((line) => outlineText(line, font, 0.16))
  return renderShareSvg(motif, lines, palettes[palette])
}

// Arranges Japanese characters vertically, as on a carved seal. Returns null if no character can be drawn.
function drawMotif(characters: string[]) {
  if (characters.length === 0) return null
  if (!characters.some((character) => JAPANESE.test(character)))
    return setInLine(outlineText(characters.join(''), bold))
  return stackVertically(characters.map((character) => outlineText(character, bold)))
}

function drawableText(text: string) {
  const words = text.split(/\s+/).map((word) => drawableCharacters(word, font).join(''))
  return words.filter(Boolean).join(' ')
}

function linesOf(name: string) {
  const characters = graphemes(name)
  if (characters.length <= MAX_LINE_CHARACTERS) return name ? [name] : []
  const words = [...new Intl.Segmenter('ja', { granularity: 'word' }).segment(name)]
  const distanceFromMiddle = (index: number) => Math.abs(index - name.length / 2)
  const [nearest = 0] = words
    .filter(({ index, isWordLike }) => index > 0 && isWordLike)
    .map(({ index }) => index)
    .sort((a, b) => distanceFromMiddle(a) - distanceFromMiddle(b))
  const breakIndex = nearest || characters.slice(0, characters.length / 2).join('').length
  return [name.slice(0, breakIndex).trim(), name.slice(breakIndex).trim()]
}
