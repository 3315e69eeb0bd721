import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { test } from './editors.ts'
import {
  clearAnnouncements,
  delayRequests,
  desktop,
  expect,
  expectAccessible,
  fillIn,
  getAnnouncements,
  getNotice,
  open,
  phone,
  pressAndRead,
} from './visitors.ts'

// All pages have the same options, so that they share pooled contexts.
test.use({ viewport: phone, hasTouch: true })

let photo: ReturnType<typeof makePhotograph> | undefined
const photograph = () => (photo ??= makePhotograph())

/** Returns a photograph as an upright phone stores it, rotated by its EXIF data: red at the top, blue below. */
async function makePhotograph() {
  const half = { width: 900, height: 600, channels: 3 as const }
  const upright = sharp({ create: { ...half, height: 1200, background: '#00f' } }).composite([
    { input: { create: { ...half, background: '#f00' } }, left: 0, top: 0 },
  ])
  const turned = sharp(await upright.png().toBuffer()).rotate(270)
  return {
    name: 'photo.jpg',
    mimeType: 'image/jpeg',
    buffer: await turned.jpeg().withMetadata({ orientation: 6 }).toBuffer(),
  }
}

const chooseFile = async (page: Page, file: { name: string; mimeType: string; buffer: Buffer }) =>
  page.locator('input[type=file]').first().setInputFiles(file)

async function readPixels(page: Page, url: string) {
  const { data, info } = await sharp(await (await page.request.get(url)).body())
    .raw()
    .toBuffer({ resolveWithObject: true })
  const readColour = (y: number) => {
    const start = (Math.floor(y * info.height) * info.width + info.width / 2) * info.channels
    return [...data.subarray(start, start + 3)].map((value) => Math.round(value / 255))
  }
  return { size: [info.width, info.height], top: readColour(0.05), bottom: readColour(0.95) }
}

/** Confirms the crop and waits until the dialog closes. */
async function confirmCrop(dialog: Locator) {
  await dialog.getByRole('button', { name: 'この写真を使う' }).click()
  await expect(dialog).toBeHidden()
}

const getImageUrl = (page: Page) => page.locator('input[name=image]').inputValue()

const getCropDialog = (page: Page) => page.getByRole('dialog', { name: '写真を切り抜く' })

test.describe('when uploads fail', () => {
  test.use({ expectedErrors: [/^image upload failure /] })

  test('shows each error beside the image, and stores the cropped, upright photograph of a dish at last', async ({
    owner,
  }) => {
    const page = await owner()
    const loggedErrors: string[] = []
    page.on('console', (message) => message.type() === 'error' && loggedErrors.push(message.text()))
    await open(page, '/firestoreservice?databasename=dining')
    await chooseFile(page, { name: 'IMG_1.HEIC', mimeType: 'image/heic', buffer: Buffer.from('\0\0\0\x18ftypheic') })
    await expect(page.locator('fieldset [id$="-error"]')).toContainText('HEIC形式')
    await chooseFile(page, {
      name: 'page.jpg',
      mimeType: 'image/jpeg',
      buffer: Buffer.from('<script>alert(1)</script>'),
    })
    await expect(page.locator('fieldset [id$="-error"]')).toContainText('写真として開けません')

    await chooseFile(page, await photograph())
    const dialog = getCropDialog(page)
    await expect(dialog.getByRole('radio', { name: '正方形' })).toBeChecked()
    await expect(dialog.getByRole('checkbox')).toHaveCount(0)
    // Moves the crop to the upper edge by keyboard.
    const crop = dialog.getByRole('group', { name: /切り抜く範囲/ })
    await crop.focus()
    for (let press = 0; press < 12; press += 1) await page.keyboard.press('ArrowDown')
    await page.route('/api/upload', (route) => route.abort())
    await pressAndRead(dialog, 'この写真を使う', '通信に失敗しました')
    expect(loggedErrors.some((line) => line.includes('image upload failure'))).toBe(true)
    await page.unroute('/api/upload')
    await page.route('/api/upload', (route) =>
      route.fulfill({ status: 413, json: { success: false, message: '写真が大きすぎます。' } }),
    )
    await pressAndRead(dialog, 'もう一度送る', '写真が大きすぎます。')
    expect(await getImageUrl(page)).toBe('')
    await page.unroute('/api/upload')
    await dialog.getByRole('button', { name: 'もう一度送る' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('img', { name: '現在の写真' })).toBeVisible()
    const url = await getImageUrl(page)
    expect(url).toMatch(/^\/pictures\/[0-9a-f]{32}-800\.jpg$/)
    const picture = await readPixels(page, url)
    expect(picture.size).toEqual([800, 800])
    expect(picture.top).toEqual([1, 0, 0])

    await fillIn(page, { 品名: '秋刀魚の塩焼き', 内容: '脂ののった一尾です。' })
    await page.getByRole('button', { name: '追加する' }).click()
    await expect(page).toHaveURL(/\/dining/)
    await expect(page.locator(`img[src="${url}"]`).first()).toBeAttached()
  })
})

test('stores a slide cropped for the full screen, or uncropped, and announces the start and end of an upload', async ({
  owner,
}) => {
  const page = await owner()
  await open(page, '/firestoreservice?databasename=home')
  const dialog = getCropDialog(page)
  const readStored = async () => readPixels(page, await getImageUrl(page))
  await chooseFile(page, await photograph())
  await expect(dialog.getByRole('radio', { name: '横長（16:9）' })).toBeChecked()
  await expect(dialog.getByRole('checkbox', { name: '全画面表示用に大きく保存する' })).toBeChecked()
  await expectAccessible(page)
  await confirmCrop(dialog)
  const wide = await readStored()
  expect(wide.size[0]).toBe(900)
  expect(Math.abs((wide.size[1] ?? 0) - 506)).toBeLessThan(2)

  await chooseFile(page, await photograph())
  const shapes = dialog.getByRole('group', { name: '切り抜き方' })
  await shapes.getByRole('radio', { name: '横長（16:9）' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(shapes.getByRole('radio', { name: '正方形' })).toBeChecked()
  await expect(shapes.getByRole('radio', { name: '正方形' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(shapes.locator(':focus')).toHaveCount(0)
  await dialog.getByRole('radio', { name: '全体を使う' }).click()
  await dialog.getByRole('checkbox', { name: '全画面表示用に大きく保存する' }).click()
  const release = await delayRequests(page, '/api/upload')
  await clearAnnouncements(page)
  await dialog.getByRole('button', { name: 'この写真を使う' }).click()
  const progress = dialog.getByRole('progressbar', { name: '写真の送信' })
  await expect(progress).toBeVisible()
  expect(await progress.evaluate((bar) => bar.closest('[aria-live], [role=status]'))).toBeNull()
  await expect(getAnnouncements(page)).toHaveText(['送っています…'])
  release()
  await expect(dialog).toBeHidden()
  await expect(getAnnouncements(page)).toHaveText(['写真を追加しました。'])
  expect(await readStored()).toEqual({ size: [600, 800], top: [1, 0, 0], bottom: [0, 0, 1] })
  await page.getByRole('button', { name: '写真を外す' }).click()
  expect(await getImageUrl(page)).toBe('')
})

test('shows an uploaded map to visitors, also after the removal of the map is reverted', async ({
  owner,
  openPage,
}) => {
  const visitor = await openPage({ isMobile: true })
  await open(visitor, '/access')
  const map = visitor.getByRole('img', { name: 'お店までの地図' })

  const page = await owner()
  await open(page, '/site')
  await chooseFile(page, await photograph())
  const dialog = getCropDialog(page)
  await expect(dialog.getByRole('radio', { name: '全体を使う' })).toBeChecked()
  await confirmCrop(dialog)
  await expect(page.getByRole('img', { name: '現在の写真' })).toBeVisible()
  const save = page.getByRole('button', { name: '場所と電話を保存する' })
  await save.click()
  await expect(getNotice(page, '保存しました。')).toBeVisible()
  const url = await page.locator('input[name=wayPicture]').inputValue()
  expect(url).toMatch(/^\/pictures\/[0-9a-f]{32}-1920\.jpg$/)
  expect(await readPixels(page, url)).toEqual({ size: [810, 1080], top: [1, 0, 0], bottom: [0, 0, 1] })

  // The open page of the visitor shows the map without a reload.
  await expect(map).toBeVisible()
  expect(await visitor.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await expectAccessible(visitor)
  await expect(visitor.getByRole('link', { name: '地図アプリで開く' })).toBeVisible()
  await expect(visitor.getByRole('link', { name: 'Appleマップで開く' })).toBeHidden()
  await visitor.getByRole('link', { name: '地図を大きく見る' }).click()
  await expect(visitor).toHaveURL(url)
  const fits = () =>
    visitor.evaluate(() => (document.querySelector('img')?.getBoundingClientRect().width ?? 0) <= innerWidth)
  expect(await fits()).toBe(true)
  await visitor.goBack()
  await expect(map).toBeVisible()

  await page.getByRole('button', { name: '写真を外す' }).click()
  await save.click()
  await expect(map).toHaveCount(0)
  // The visitor may learn of the save before the owner's page shows the removal in the history.
  await expect(page.locator('li').filter({ hasText: '地図の写真' })).toHaveCount(2)
  await page.getByText('変更履歴', { exact: true }).click()
  await page
    .getByRole('button', { name: /^この時点に戻す/ })
    .first()
    .click()
  await expect(page.locator('input[name=wayPicture]')).toHaveValue(url)
  await expect(map).toBeVisible()

  const desk = await openPage({ viewport: desktop, hasTouch: false })
  await desk.goto('/access')
  await expect(desk.getByRole('link', { name: 'Appleマップで開く' })).toBeVisible()
  await expect(desk.getByRole('link', { name: '地図アプリで開く' })).toBeHidden()
})

test('shows the portrait image of a slide on upright phones only', async ({ owner, openPage }) => {
  const page = await owner()
  const home = await (await page.request.get('/')).text()
  await open(page, /href="(\/firestoreservice\/[^"]+\/edit)"/.exec(home)?.[1] ?? '')
  const wide = await getImageUrl(page)
  const field = page.getByRole('group', { name: 'スマートフォン用の縦長の写真' })
  // A press before the crop area is known must not store the whole photograph.
  await page.evaluate(() => {
    // The crop area waits for the load event of its image, as if the image were not in memory.
    Object.defineProperty(HTMLImageElement.prototype, 'complete', { value: false })
    const observer = new MutationObserver(() => {
      const buttons = [...document.querySelectorAll<HTMLElement>('dialog button')]
      const confirm = buttons.find(({ textContent }) => textContent === 'この写真を使う')
      if (!confirm) return
      observer.disconnect()
      confirm.click()
    })
    observer.observe(document.body, { childList: true, subtree: true })
  })
  await field.locator('input[type=file]').setInputFiles(await photograph())
  const dialog = getCropDialog(page)
  await expect(dialog.getByRole('radio', { name: '縦長（9:16）' })).toBeChecked()
  await confirmCrop(dialog)
  const portrait = await page.locator('input[name=portraitImage]').inputValue()
  expect(portrait).toMatch(/^\/pictures\/[0-9a-f]{32}-1080\.jpg$/)
  expect((await readPixels(page, portrait)).size).toEqual([675, 1200])
  expect(await getImageUrl(page)).toBe(wide)
  await page.getByRole('button', { name: '保存する' }).click()
  await expect(page.locator('[data-notice=done]')).toContainText('保存しました。')

  const stem = (url: string) => url.replace(/-\d+\.\w+$/, '')
  const visitor = await openPage()
  await visitor.goto('/')
  const image = visitor.getByRole('region', { name: '店の物語' }).locator('img').first()
  for (const [width, height, shown] of [
    [390, 844, portrait],
    [844, 390, wide],
    [1440, 900, wide],
  ] as const) {
    await visitor.setViewportSize({ width, height })
    await expect.poll(() => image.evaluate((img: HTMLImageElement) => img.currentSrc)).toContain(stem(shown))
  }
})
