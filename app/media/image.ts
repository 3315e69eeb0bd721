// A picture is kept in several widths under one name: <name>-<width>.<format>; its address names the widest JPEG.
const widthsUpTo: Record<string, readonly number[]> = {
  800: [400, 800],
  1080: [720, 1080],
  1280: [800, 1280],
  1920: [800, 1280, 1920],
}

/** Maximum width and height of an image in pixels: of a card, of a wide screen and of a high one. */
export const boxes = {
  card: { width: 800, height: 800 },
  screen: { width: 1920, height: 1080 },
  portrait: { width: 1080, height: 1920 },
} as const
export type Box = keyof typeof boxes

/** What a picture is put in for: a map must be read, so all of it stays and it is kept as large as a screen. */
export type Purpose = 'card' | 'screen' | 'portrait' | 'map'

/** The widths that a picture of a box is kept in. One that is higher than the box is less wide than its file's name says. */
export function widthsOf(box: Box) {
  return widthsUpTo[boxes[box].width] ?? []
}

/** The `srcset` of each format of one of the site's pictures; null for any other address. */
export function pictureSources(url: string) {
  const [, name, widest = ''] = /^(\/(?:art|pictures)\/[\w-]+)-(\d+)\.jpg$/.exec(url) ?? []
  const widths = widthsUpTo[widest]
  if (!widths) return null
  const inFormat = (format: string) => widths.map((width) => `${name}-${width}.${format} ${width}w`).join(', ')
  return { avif: inFormat('avif'), webp: inFormat('webp'), jpg: inFormat('jpg') }
}
