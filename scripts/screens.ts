// Pictures of the pages as they look, into screens/: `node scripts/screens.ts [path…]`, all public pages without a path.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { browserFlags, findBrowser } from './find-browser.ts'
import { publicPages, startSite } from './start-site.ts'
import { missingFiles, visitPage } from './visit-page.ts'

const folder = join(import.meta.dirname, '..', 'screens')
const screens = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
  { width: 1680, height: 1050 },
]

mkdirSync(folder, { recursive: true })
await using site = await startSite()
await using browser = await chromium.launch({ executablePath: findBrowser(), args: browserFlags })
const wanted = process.argv.slice(2)
for (const path of wanted.length > 0 ? wanted : await publicPages(site.address)) {
  for (const screen of screens) await takePictures(path, screen)
}

async function takePictures(path: string, viewport: { width: number; height: number }) {
  const context = await browser.newContext({
    viewport,
    // Scrollbars then lie over the page, and no strip at its side waits for one.
    isMobile: true,
    locale: 'ja-JP',
    timezoneId: 'Asia/Tokyo',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const name = path.split('/').filter(Boolean).join('-') || 'home'
  const transfers = await visitPage(page, `${site.address}${path}`)
  // Home begins with a picture as high as the screen: its first view shows what a visitor meets.
  if (name === 'home') await take(`${name}-hero-${viewport.width}`, false)
  await take(`${name}-${viewport.width}`, true)
  for (const line of missingFiles(transfers)) console.warn(`  ${line}`)
  await context.close()

  async function take(picture: string, fullPage: boolean) {
    const file = join(folder, `${picture}.png`)
    await page.screenshot({ path: file, fullPage })
    console.log(`screens/${picture}.png`)
  }
}
