// Child process of images.server.ts that encodes one image.
import { encodeVariants } from './encode.ts'
import type { Box } from './image.ts'

process.on('message', async ({ bytes, box }: { bytes: Buffer; box: Box }) => {
  // The parent may have exited; the callback ignores the error.
  process.send?.(await encodeVariants(bytes, box), () => {})
})
