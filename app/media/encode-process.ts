// Runs by itself: encodes the picture that encoder.server.ts sends.
import { encodePicture } from './encode.ts'
import type { Box } from './image.ts'

process.on('message', async ({ bytes, box }: { bytes: Buffer; box: Box }) => {
  // Who asked for it may have ended.
  process.send?.(await encodePicture(bytes, box), () => {})
})
