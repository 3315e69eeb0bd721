import { flushCompileCache } from 'node:module'
import type { Logo } from '../../app/settings/logo.server.ts'
import { drawLogo } from './draw-logo.ts'

process.on('message', async (logo: Logo) => {
  // The callback ignores an error if the parent has exited.
  process.send?.(await drawLogo(logo), () => {})
})

// The parent process kills this process, and Node itself writes the cache of compiled code only at a normal exit.
flushCompileCache()
