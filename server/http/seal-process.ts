// Child process of seal-pictures.ts.

import type { Seal } from '../../app/settings/seal.server.ts'
import { drawSeal } from './draw-seal.ts'

process.on('message', async (seal: Seal) => {
  // The callback ignores that the parent may have exited.
  process.send?.(await drawSeal(seal), () => {})
})
