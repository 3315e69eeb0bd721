// A picture is kept in several widths under one name: <name>-<width>.<format>; its address names the widest JPEG.
const widthsUpTo: Record<string, readonly number[]> = { 800: [400, 800], 1280: [800, 1280], 1920: [800, 1280, 1920] }

/** The `srcset` of each format of one of the site's pictures; null for any other address. */
export function pictureSources(url: string) {
  const [, name, widest = ''] = /^(\/(?:art|pictures)\/[\w-]+)-(\d+)\.jpg$/.exec(url) ?? []
  const widths = widthsUpTo[widest]
  if (!widths) return null
  const inFormat = (format: string) => widths.map((width) => `${name}-${width}.${format} ${width}w`).join(', ')
  return { avif: inFormat('avif'), webp: inFormat('webp'), jpg: inFormat('jpg') }
}
