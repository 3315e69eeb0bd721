import sharp from 'sharp'
import type { Logo } from '../../app/settings/logo.server.ts'
import type { LogoImage } from '../../app/settings/logo-image.ts'
import { graphemes } from '../../app/ui/characters.ts'
import { palettes } from '../../app/ui/palettes.ts'
import { belowEachOther, curtain, inALine, logoSvg, shareSvg } from './logo-drawing.ts'
import { drawable, fontOf, outline } from './logo-outlines.ts'

const bold = fontOf('@expo-google-fonts/shippori-mincho/800ExtraBold/ShipporiMincho_800ExtraBold.ttf')
const font = fontOf('@expo-google-fonts/shippori-mincho/600SemiBold/ShipporiMincho_600SemiBold.ttf')

const JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const MAX_IN_A_LINE = 11

export async function drawLogo({ characters, name, palette }: Logo): Promise<Record<LogoImage, Uint8Array>> {
  const colours = palettes[palette]
  const mark = markOf(drawable(characters, bold))
  const png = async (side: number, cut: Parameters<typeof logoSvg>[2]) => {
    const drawn = Buffer.from(logoSvg(mark ?? curtain, colours, cut))
    return sharp(drawn, { density: (72 * side) / 512 })
      .resize(side)
      .png({ compressionLevel: 9 })
      .toBuffer()
  }
  const lines = linesOf(readable(name)).map((line) => outline(line, font, 0.16))
  const drawn = shareSvg(mark, lines, colours)
  return {
    'icon-32.png': await png(32, 'rounded'),
    // iOS rounds the icon itself and blackens transparent areas.
    'icon-180.png': await png(180, 'by the phone'),
    'icon-192.png': await png(192, 'rounded'),
    'icon-512.png': await png(512, 'rounded'),
    'maskable-192.png': await png(192, 'to any shape'),
    'maskable-512.png': await png(512, 'to any shape'),
    'share.jpg': await sharp(Buffer.from(drawn)).flatten().jpeg({ quality: 84, mozjpeg: true }).toBuffer(),
  }
}

// Sets Japanese characters vertically, as on a carved seal. Returns null if no character can be drawn.
function markOf(carved: string[]) {
  if (carved.length === 0) return null
  if (!carved.some((character) => JAPANESE.test(character))) return inALine(outline(carved.join(''), bold))
  return belowEachOther(carved.map((one) => outline(one, bold)))
}

function readable(text: string) {
  const words = text.split(/\s+/).map((word) => drawable(word, font).join(''))
  return words.filter(Boolean).join(' ')
}

// Breaks a long name before the word nearest to its middle.
function linesOf(name: string) {
  const characters = graphemes(name)
  if (characters.length <= MAX_IN_A_LINE) return name ? [name] : []
  const words = [...new Intl.Segmenter('ja', { granularity: 'word' }).segment(name)]
  const far = (index: number) => Math.abs(index - name.length / 2)
  const [nearest = 0] = words
    .filter(({ index, isWordLike }) => index > 0 && isWordLike)
    .map(({ index }) => index)
    .sort((a, b) => far(a) - far(b))
  const at = nearest || characters.slice(0, characters.length / 2).join('').length
  return [name.slice(0, at).trim(), name.slice(at).trim()]
}
