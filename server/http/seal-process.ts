// Runs by itself: draws the pictures of the seal that seal-pictures.ts sends.

import type { Seal } from '../../app/settings/seal.server.ts'
import { drawSeal } from './draw-seal.ts'

process.on('message', async (seal: Seal) => {
  // Who asked for them may have ended.
  process.send?.(await drawSeal(seal), () => {})
})
