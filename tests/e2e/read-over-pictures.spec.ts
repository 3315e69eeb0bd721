import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { often } from '../../scripts/abuse.ts'
import { darkPages, expect, navigate, open, openHydrated, phone, test } from './visitors.ts'

// `npm run abuse` checks more frames.
const frames = Array.from({ length: often(3, 9) }, (_, part) => part / often(3, 9))

/** Returns the lowest WCAG 2.2 contrast of each text with the pixels behind the text, without the worst 1 %. */
async function measureContrasts(page: Page, texts: Locator) {
  const measured = await texts.evaluateAll((elements) => {
    elements[0]?.scrollIntoView({ block: 'nearest', behavior: 'instant' })
    return elements.map((element) => {
      const { color } = getComputedStyle(element)
      ;(element as HTMLElement).style.setProperty('color', 'transparent')
      return { color, box: element.getBoundingClientRect().toJSON() as DOMRect }
    })
  })
  const boxes = measured.map(({ box }) => box)
  const clip = getBoundingRect(boxes)
  const screenshot = sharp(await page.screenshot({ animations: 'disabled', clip }))
  await texts.evaluateAll((elements) => {
    for (const element of elements) (element as HTMLElement).style.removeProperty('color')
  })
  return Promise.all(
    boxes.map(async ({ x, y, width, height }, index) => {
      const [left, top] = [Math.floor(x) - clip.x, Math.floor(y) - clip.y]
      const behind = screenshot.clone().extract({ left, top, width: Math.ceil(width), height: Math.ceil(height) })
      return getLowestContrast(await behind.removeAlpha().raw().toBuffer(), measured[index]?.color ?? '')
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
  // Counts the pixels by contrast in hundredths, because sorting all contrasts would take most of the time of this test.
  const counts = new Uint32Array(2101)
  for (let offset = 0; offset < behind.length; offset += 3) {
    const pixelLuminance = getLuminance(behind[offset] ?? 0, behind[offset + 1] ?? 0, behind[offset + 2] ?? 0)
    const ratio = (Math.max(textLuminance, pixelLuminance) + 0.05) / (Math.min(textLuminance, pixelLuminance) + 0.05)
    counts[Math.floor(ratio * 100)] = (counts[Math.floor(ratio * 100)] ?? 0) + 1
  }
  let left = Math.floor(behind.length / 300)
  return (
    counts.findIndex((count) => {
      left -= count
      return left < 0
    }) / 100
  )
}

const luminances = Array.from({ length: 256 }, (_, value) => {
  const part = value / 255
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
})

function getLuminance(r: number, g: number, b: number) {
  return 0.2126 * (luminances[r] ?? 0) + 0.7152 * (luminances[g] ?? 0) + 0.0722 * (luminances[b] ?? 0)
}

// The tests analyse many screenshots.
const screens = [phone, { width: 1440, height: 844 }]

test('keeps the contrast of each title above 4.5 in every frame of its film', async ({ page }) => {
  await openHydrated(page, '/dining')
  for (const path of [...darkPages, '/tennisrelated']) {
    await navigate(page, path)
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
        const contrasts = await measureContrasts(page, page.locator('main h1, main p[lang=en]'))
        expect(contrasts, path).toHaveLength(2)
        for (const contrast of contrasts)
          expect(contrast, `${path} at ${part}, ${screen.width} px wide`).toBeGreaterThan(4.5)
      }
    }
  }
})

test('keeps the contrast of the story text above 4.5 on every slide', async ({ page }) => {
  for (const viewport of screens) {
    await page.setViewportSize(viewport)
    await open(page, '/')
    for (const number of [1, 2, 3]) {
      await page.getByRole('button', { name: `${number}枚目を見る` }).click()
      const slide = page.getByRole('group', { name: `3枚中${number}枚目` })
      await expect(slide).toHaveCSS('opacity', '1')
      for (const contrast of await measureContrasts(page, slide.locator('[data-mincho]')))
        expect(contrast, `slide ${number}, ${viewport.width} px wide`).toBeGreaterThan(4.5)
    }
  }
})
