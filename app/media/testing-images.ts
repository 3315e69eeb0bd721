import type { Db } from '../../db/tables.ts'
import type { Author } from '../request.ts'
import { encodeVariants } from './encode.ts'
import type { Box } from './image.ts'
import { insertImage, nameAndUrlOf } from './images.server.ts'

const encodedImages = new Map<string, ReturnType<typeof encodeVariants>>()

/** Stores an image and returns its URL. Encodes each image once and in this process, without a child process. */
export async function addImage(db: Db, bytes: Buffer, box: Box, author: Author) {
  const { name, url } = nameAndUrlOf(bytes, box)
  const encoding = encodedImages.get(name) ?? encodeVariants(bytes, box)
  encodedImages.set(name, encoding)
  const encoded = await encoding
  if ('message' in encoded) throw new Error(`Image rejected: ${encoded.message}`)
  await insertImage(db, { name, url, encoded }, author)
  return url
}
