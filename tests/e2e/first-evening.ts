import { PassThrough } from 'node:stream'
import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { startSite } from '../../scripts/start-site.ts'
import type { Thumb } from './taps.ts'
import { expect } from './visitors.ts'

/** A started site, and the address with the key that its start has printed. */
export async function startWithKey(settings: Record<string, string>) {
  const log = new PassThrough()
  const key = new Promise<string>((resolve) => {
    let said = ''
    log.on('data', (text) => {
      said += text
      const found = /\/welcome\?key=[\w-]{43}/.exec(said)?.[0]
      if (found) resolve(found)
    })
  })
  const site = await startSite(settings, { log })
  return { ...site, welcome: await key, [Symbol.asyncDispose]: site.stop }
}

export async function photograph() {
  const picture = sharp({ create: { width: 1600, height: 900, channels: 3, background: '#a63' } })
  return { name: 'shop.jpg', mimeType: 'image/jpeg', buffer: await picture.jpeg().toBuffer() }
}

export async function choosePhotograph(page: Page, thumb: Thumb) {
  // One tap opens the phone's own album, one takes the picture out of it.
  await page.locator('input[type=file]').setInputFiles(await photograph())
  thumb.taps += 2
  await thumb.tap(page.getByRole('dialog').getByRole('button', { name: '使う' }))
  await expect(page.getByRole('dialog')).toHaveCount(0)
}
