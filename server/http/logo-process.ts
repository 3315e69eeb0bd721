import type { Logo } from '../../app/settings/logo.server.ts'
import { drawLogo } from './draw-logo.ts'

process.on('message', async (logo: Logo) => {
  // The callback ignores an error if the parent has exited.
  process.send?.(await drawLogo(logo), () => {})
})
