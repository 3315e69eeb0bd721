// Child process of seal-pictures.ts.

import type { Logo } from '../../app/settings/logo.server.ts'
import { drawLogo } from './draw-logo.ts'

process.on('message', async (seal: Logo) => {
  // The callback ignores that the parent may have exited.
  process.send?.(await drawLogo(seal), () => {})
})
