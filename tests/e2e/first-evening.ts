import { PassThrough } from 'node:stream'
import type { Page } from '@playwright/test'
import { startSite } from '../../scripts/start-site.ts'
import { photograph } from './photograph.ts'
import type { Thumb } from './taps.ts'
import { expect } from './visitors.ts'

/** Starts a site. Returns the site and the setup URL that the site has printed. */
export async function startSiteWithSetupKey(settings: Record<string, string>) {
  const log = new PassThrough()
  const key = new Promise<string>((resolve) => {
    let output = ''
    log.on('data', (text) => {
      output += text
      const setupPath = /\/welcome\?key=[\w-]{43}/.exec(output)?.[0]
      if (setupPath) resolve(setupPath)
    })
  })
  const site = await startSite(settings, { log })
  return { ...site, welcome: await key, [Symbol.asyncDispose]: site.stop }
}

type ShopInput = { name: string; telephone: string; postalCode: string; address: string }

/** Completes the owner step and the shop step and waits for the hours step. Calls `checkStep` on each step. */
export async function completeOwnerAndShopSteps(
  page: Page,
  thumb: Thumb,
  { welcome, owner, shop }: { welcome: string; owner: Record<'name' | 'email' | 'password', string>; shop: ShopInput },
  checkStep = async () => {},
) {
  await page.goto(welcome)
  await thumb.fillIn(page, { お名前: owner.name, メールアドレス: owner.email, パスワード: owner.password })
  await checkStep()
  await thumb.tap(page.getByRole('button', { name: '次へ' }))
  await expect(page).toHaveURL('/welcome/shop')
  const { name, telephone, postalCode, address } = shop
  await thumb.fillIn(page, { 店名: name, 電話番号: telephone, 郵便番号: postalCode, 住所: address })
  await checkStep()
  await thumb.tap(page.getByRole('button', { name: '保存して、次へ' }))
  await expect(page).toHaveURL('/welcome/hours')
}

export async function choosePhotograph(page: Page, thumb: Thumb) {
  // One tap opens the photo album of the phone, and another tap chooses the photo.
  await page.locator('input[type=file]').setInputFiles(await photograph())
  thumb.taps += 2
  await thumb.tap(page.getByRole('dialog').getByRole('button', { name: '使う' }))
  await expect(page.getByRole('dialog')).toHaveCount(0)
}
