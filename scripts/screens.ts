// `npm run screens -- palettes [path…]` exits with 1 if axe finds a violation.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import sharp from 'sharp'
import { type PaletteName, paletteNames } from '../app/ui/palettes.ts'
import { browserFlags, findBrowser } from './find-browser.ts'
import { foundByAxe } from './found-by-axe.ts'
import { signInDemoPeople } from './sign-in-demo-people.ts'
import { publicPages, startSite } from './start-site.ts'
import { missingFiles, visitPage } from './visit-page.ts'

type Screen = { width: number; height: number }
const folder = join(import.meta.dirname, '..', 'screens')
const screens: Screen[] = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
  { width: 1680, height: 1050 },
]
const phone: Screen = { width: 390, height: 844 }
const desk: Screen = { width: 1440, height: 900 }

mkdirSync(folder, { recursive: true })
await using site = await startSite()
await using browser = await chromium.launch({ executablePath: findBrowser(), args: browserFlags })
const [first, ...others] = process.argv.slice(2)
if (first === 'palettes') await captureEachPalette(others)
else if (first === 'readme') await captureForReadme()
else await visitAll([first ?? [], others].flat(), screens, (page, name) => takeScreens(page, name))

async function visitAll(paths: string[], screens: Screen[], capture: (page: Page, name: string) => Promise<void>) {
  for (const path of paths.length > 0 ? paths : await publicPages(site.address)) {
    for (const screen of screens) await openAt(path, screen, capture)
  }
}

async function captureForReadme() {
  await openAt('/', phone, (page) => saveSmall(page, 'on-a-phone', 390))
  await openAt('/dining', desk, (page) => saveSmall(page, 'on-a-desk', 1200))
}

async function saveSmall(page: Page, name: string, width: number) {
  const file = join(folder, '..', 'docs', `${name}.webp`)
  await sharp(await page.screenshot())
    .resize({ width })
    .webp({ quality: 72 })
    .toFile(file)
}

async function captureEachPalette(paths: string[]) {
  let violationCount = 0
  const cookie = (await signInDemoPeople(site)).administrator
  for (const palette of paletteNames) {
    await choosePalette(palette, cookie)
    await visitAll(paths, [phone, desk], async (page, name) => {
      await takeScreens(page, `${palette}-${name}`)
      for (const line of await foundByAxe(page)) {
        violationCount += 1
        console.error(`${palette} ${page.url()}\n${line}`)
      }
    })
  }
  console.log(`axe: ${violationCount}`)
  if (violationCount > 0) process.exitCode = 1
}

async function choosePalette(palette: PaletteName, cookie: string) {
  const context = await browser.newContext({ extraHTTPHeaders: { cookie } })
  const page = await context.newPage()
  await page.goto(`${site.address}/site`)
  await page.locator(`input[name=palette][value=${palette}]`).check()
  await page.getByRole('button', { name: '店名と印を保存する' }).click()
  await page
    .getByText(/保存しました|変更はありませんでした/)
    .first()
    .waitFor()
  await context.close()
}

async function openAt(path: string, viewport: Screen, capture: (page: Page, name: string) => Promise<void>) {
  const context = await browser.newContext({
    viewport,
    // Makes scrollbars overlay the page, without a gutter.
    isMobile: true,
    locale: 'ja-JP',
    timezoneId: 'Asia/Tokyo',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const transfers = await visitPage(page, `${site.address}${path}`)
  await capture(page, path.split('/').filter(Boolean).join('-') || 'home')
  for (const line of missingFiles(transfers)) console.warn(`  ${line}`)
  await context.close()
}

async function takeScreens(page: Page, name: string) {
  const { width } = page.viewportSize() as Screen
  // The home page begins with an image of the viewport's height, so its first view has its own screenshot.
  if (name.endsWith('home')) await takeScreenshot(page, `${name}-hero-${width}`, false)
  await takeScreenshot(page, `${name}-${width}`, true)
}

async function takeScreenshot(page: Page, name: string, fullPage: boolean) {
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage })
  console.log(`screens/${name}.png`)
}
