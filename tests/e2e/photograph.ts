import sharp from 'sharp'

/** Returns a one-coloured JPEG photograph for a file field. */
export async function photograph(width = 1600, height = 900) {
  const picture = sharp({ create: { width, height, channels: 3, background: '#a63' } })
  return { name: 'shop.jpg', mimeType: 'image/jpeg', buffer: await picture.jpeg().toBuffer() }
}
