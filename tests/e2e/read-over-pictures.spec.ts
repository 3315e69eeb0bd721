import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { often } from '../../scripts/abuse.ts'
import { darkPages, expect, open, phone, test } from './visitors.ts'

// `npm run abuse` checks more frames.
const frames = Array.from({ length: often(3, 9) }, (_, part) => part / often(3, 9))

/** Returns the lowest WCAG 2.2 contrast of each text with the pixels behind the text, without the worst 1 %. */
async function measureContrasts(page: Page, texts: Locator) {
  const colours = await texts.evaluateAll((elements) => elements.map((element) => getComputedStyle(element).color))
  await texts.evaluateAll((elements) => {
    for (const element of elements) (element as HTMLElement).style.setProperty('color', 'transparent')
  })
  await texts.first().scrollIntoViewIfNeeded()
  const boxes = await texts.evaluateAll((elements) =>
    elements.map((element) => element.getBoundingClientRect().toJSON()),
  )
  const clip = getBoundingRect(boxes)
  const screenshot = sharp(await page.screenshot({ animations: 'disabled', clip }))
  await texts.evaluateAll((elements) => {
    for (const element of elements) (element as HTMLElement).style.removeProperty('color')
  })
  return Promise.all(
    boxes.map(async ({ x, y, width, height }, index) => {
      const [left, top] = [Math.floor(x) - clip.x, Math.floor(y) - clip.y]
      const behind = screenshot.clone().extract({ left, top, width: Math.ceil(width), height: Math.ceil(height) })
      return getLowestContrast(await behind.removeAlpha().raw().toBuffer(), colours[index] ?? '')
    }),
  )
}

function getBoundingRect(boxes: DOMRect[]) {
  const [x, y] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))].map(Math.floor)
  const right = Math.max(...boxes.map((box) => box.right))
  const bottom = Math.max(...boxes.map((box) => box.bottom))
  return { x: x ?? 0, y: y ?? 0, width: Math.ceil(right) - (x ?? 0) + 1, height: Math.ceil(bottom) - (y ?? 0) + 1 }
}

function getLowestContrast(behind: Buffer, colour: string) {
  const [r = 0, g = 0, b = 0] = colour.match(/\d+/g)?.map(Number) ?? []
  const textLuminance = getLuminance(r, g, b)
  const ratios = new Float64Array(behind.length / 3)
  for (const pixel of ratios.keys()) {
    const pixelLuminance = getLuminance(behind[3 * pixel] ?? 0, behind[3 * pixel + 1] ?? 0, behind[3 * pixel + 2] ?? 0)
    ratios[pixel] = (Math.max(textLuminance, pixelLuminance) + 0.05) / (Math.min(textLuminance, pixelLuminance) + 0.05)
  }
  return ratios.sort()[Math.floor(ratios.length / 100)] ?? 0
}

const luminances = Array.from({ length: 256 }, (_, value) => {
  const part = value / 255
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
})

function getLuminance(r: number, g: number, b: number) {
  return 0.2126 * (luminances[r] ?? 0) + 0.7152 * (luminances[g] ?? 0) + 0.0722 * (luminances[b] ?? 0)
}

// The tests analyse many screenshots.
test.slow()
const screens = [phone, { width: 1440, height: 844 }]

for (const path of [...darkPages, '/tennisrelated']) {
  test(`keeps the contrast of the title on ${path} above 4.5 in every frame of its film`, async ({ page }) => {
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
      for (const screen of screens) {
        await page.setViewportSize(screen)
        for (const contrast of await measureContrasts(page, page.locator('main h1, main p[lang=en]')))
          expect(contrast, `at ${part}, ${screen.width} px wide`).toBeGreaterThan(4.5)
      }
    }
  })
}

for (const viewport of screens) {
  test(`keeps the contrast of the story text above 4.5 on every slide at ${viewport.width} px`, async ({ page }) => {
    await page.setViewportSize(viewport)
    await open(page, '/')
    for (const number of [1, 2, 3]) {
      await page.getByRole('button', { name: `${number}枚目を見る` }).click()
      const slide = page.getByRole('group', { name: `3枚中${number}枚目` })
      await expect(slide).toHaveCSS('opacity', '1')
      for (const contrast of await measureContrasts(page, slide.locator('[data-mincho]')))
        expect(contrast, `slide ${number}`).toBeGreaterThan(4.5)
    }
  })
}
