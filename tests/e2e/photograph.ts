import sharp from 'sharp'

/** A plain photograph, as a file that a form takes. */
export async function photograph(width = 1600, height = 900) {
  const picture = sharp({ create: { width, height, channels: 3, background: '#a63' } })
  return { name: 'shop.jpg', mimeType: 'image/jpeg', buffer: await picture.jpeg().toBuffer() }
}
