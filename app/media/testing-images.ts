import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Author } from '../request.ts'
import type { Box } from './image.ts'
import { encodeImage, insertImage } from './images.server.ts'

const encodedImages = new Map<string, ReturnType<typeof encodeImage>>()

/** Stores an image and returns its URL. Encodes each image only once per process. */
export async function addImage(db: Kysely<Tables>, bytes: Buffer, box: Box, author: Author) {
  const key = `${box} ${bytes.toString('base64')}`
  const encoding = encodedImages.get(key) ?? encodeImage(bytes, box)
  encodedImages.set(key, encoding)
  const image = await encoding
  if ('message' in image) throw new Error(`Image rejected: ${image.message}`)
  await insertImage(db, image, author)
  return image.url
}
