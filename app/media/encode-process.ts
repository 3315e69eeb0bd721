// Child process of images.server.ts that encodes one image.
import { encodeVariants } from './encode.ts'
import type { Box } from './image.ts'

process.on('message', async ({ bytes, box }: { bytes: Buffer; box: Box }) => {
  // The callback ignores the error that occurs if the parent process has exited.
  process.send?.(await encodeVariants(bytes, box), () => {})
})
