// An image has files <name>-<width>.<format>. The URL of the image is the URL of the widest JPEG.
const widthsUpTo: Record<string, readonly number[]> = {
  800: [400, 800],
  1080: [720, 1080],
  1280: [800, 1280],
  1920: [800, 1280, 1920],
}

/** Maximum size of an image in pixels. */
export const boxes = {
  card: { width: 800, height: 800 },
  screen: { width: 1920, height: 1080 },
  portrait: { width: 1080, height: 1920 },
} as const
export type Box = keyof typeof boxes

/** Use of an image. A map is stored large and by default uncropped, because a map must be readable. */
export type Purpose = 'card' | 'screen' | 'portrait' | 'map'

/** Returns the widths in the file names. The actual width is smaller if the height of the box limits the image. */
export function widthsOf(box: Box) {
  return widthsUpTo[boxes[box].width] ?? []
}

/** Returns a `srcset` for each format, or null if the URL is not an image of this site. */
export function imageSources(url: string) {
  const [, name, widest = ''] = /^(\/(?:art|pictures)\/[\w-]+)-(\d+)\.jpg$/.exec(url) ?? []
  const widths = widthsUpTo[widest]
  if (!widths) return null
  const srcSetOf = (format: string) => widths.map((width) => `${name}-${width}.${format} ${width}w`).join(', ')
  return { avif: srcSetOf('avif'), webp: srcSetOf('webp'), jpg: srcSetOf('jpg') }
}
