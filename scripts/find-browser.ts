import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from '@playwright/test'

// The headless shell draws no window, so a run takes only two thirds of the time.
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file))
  return found ?? chromium.executablePath()
}

/** Flags that disable background requests of Chromium and permit Chromium to run as root in a container. */
export const browserFlags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
]
