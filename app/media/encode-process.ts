// Child process of images.server.ts that encodes one image.
import { flushCompileCache } from 'node:module'
import { encodeVariants } from './encode.ts'
import type { Box } from './image.ts'

process.on('message', async ({ bytes, box }: { bytes: Buffer; box: Box }) => {
  // The callback ignores the error that occurs if the parent process has exited.
  process.send?.(await encodeVariants(bytes, box), () => {})
})

// The parent process kills this process, and Node itself writes the cache of compiled code only at a normal exit.
flushCompileCache()
