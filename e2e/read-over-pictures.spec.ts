import type { Locator } from '@playwright/test'
import sharp from 'sharp'
import { expect, open, test } from './visitors.ts'

const nightPages = [
  '/videoproduction',
  '/municipalarchitect',
  '/webdesignincludebackend',
  '/vbacreate',
  '/socialefficiency',
]
const frames = [0, 0.2, 0.4, 0.6, 0.8]

/** The lowest contrast (WCAG 2.2) between a text's colour and what shines through behind it, but for its worst hundredth. */
async function contrastOf(text: Locator) {
  const colour = await text.evaluate((element) => getComputedStyle(element).color)
  await text.evaluate((element) => element.style.setProperty('color', 'transparent'))
  const behind = await sharp(await text.screenshot({ animations: 'disabled' }))
    .removeAlpha()
    .raw()
    .toBuffer()
  await text.evaluate((element) => element.style.removeProperty('color'))
  const [r = 0, g = 0, b = 0] = colour.match(/\d+/g)?.map(Number) ?? []
  const own = luminance(r, g, b)
  const ratios: number[] = []
  for (let i = 0; i < behind.length; i += 3) {
    const other = luminance(behind[i] ?? 0, behind[i + 1] ?? 0, behind[i + 2] ?? 0)
    ratios.push((Math.max(own, other) + 0.05) / (Math.min(own, other) + 0.05))
  }
  return ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 100)] ?? 0
}

function luminance(...colour: number[]) {
  const [r = 0, g = 0, b = 0] = colour.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

// Some sixty pictures are taken and weighed.
test.slow()

for (const width of [390, 1440]) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 844 }, contextOptions: { reducedMotion: 'reduce' } })

    test('titles stand out from every part of the films', async ({ page }) => {
      for (const path of [...nightPages, '/tennisrelated']) {
        await open(page, path)
        await page.getByRole('button', { name: '背景の映像を動かす' }).click()
        await page.getByRole('button', { name: '背景の映像を止める' }).click()
        for (const part of frames) {
          await page.locator('video').evaluate(async (video: HTMLVideoElement, part) => {
            video.hidden = false
            if (video.readyState === 0)
              await new Promise((resolve) => video.addEventListener('loadedmetadata', resolve, { once: true }))
            video.currentTime = part * video.duration
            await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }))
          }, part)
          const title = page.getByRole('heading', { level: 1 })
          expect(await contrastOf(title), `${path} at ${part}`).toBeGreaterThan(4.5)
          expect(await contrastOf(page.locator('main p[lang=en]')), `${path} at ${part}`).toBeGreaterThan(4.5)
        }
      }
    })

    test('the story stands out from every slide', async ({ page }) => {
      await open(page, '/')
      for (const number of [1, 2, 3]) {
        await page.getByRole('button', { name: `${number}枚目を見る` }).click()
        const slide = page.getByRole('group', { name: `3枚中${number}枚目` })
        await expect(slide).toHaveCSS('opacity', '1')
        const lines = slide.locator('[data-mincho]')
        expect(await contrastOf(lines), `slide ${number}`).toBeGreaterThan(4.5)
      }
    })
  })
}
