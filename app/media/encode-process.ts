// Runs by itself: encodes what encoder.server.ts sends, one picture after the other.
import { encodePicture } from './encode.ts'
import type { Box } from './image.ts'

process.on('message', async ({ bytes, box }: { bytes: Buffer; box: Box }) => {
  process.send?.(await encodePicture(bytes, box))
})
