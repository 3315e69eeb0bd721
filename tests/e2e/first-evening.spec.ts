import type { Browser, Page } from '@playwright/test'
import { choosePhotograph, completeOwnerAndShopSteps, startSiteWithSetupKey } from './first-evening.ts'
import { Thumb } from './taps.ts'
import { expect, expectAccessible, fillIn, getNotice, phone, test } from './visitors.ts'

// Each test starts its own site.
test.slow()

const shop = { name: '京めし 葵', telephone: '075-123-4567', postalCode: '6050001', address: '京都市東山区葵町1-2' }
const owner = { name: '葵 太郎', email: 'aoi@example.com', password: 'tadaima-55' }

for (const [sampleShop, limits] of [
  ['yes', { taps: 60, keys: 150 }],
  ['no', { taps: 45, keys: 150 }],
] as const) {
  test(`sets up a shop in ${limits.taps} taps and ${limits.keys} keys when SAMPLE_SHOP is ${sampleShop}`, async ({
    browser,
  }) => {
    await using site = await startSiteWithSetupKey({ SAMPLE_SHOP: sampleShop })
    const settings = { viewport: phone, hasTouch: true, baseURL: site.address, reducedMotion: 'reduce' } as const
    const context = await browser.newContext(settings)
    const page = await context.newPage()
    const thumb = new Thumb()
    await completeOwnerAndShopSteps(page, thumb, { welcome: site.welcome, owner, shop }, () => expectAccessible(page))
    for (const [edge, hour] of Object.entries({ 開始: '11', 終了: '21' }))
      await thumb.choose(page.getByLabel(new RegExp(`^営業時間 第1部.* ${edge}の時$`)), hour)
    const closingDays = page.getByRole('group', { name: '定休日' })
    for (const day of ['火曜日', '水曜日']) await thumb.tap(closingDays.locator('label', { has: page.getByLabel(day) }))
    await expectAccessible(page)
    await thumb.tap(page.getByRole('button', { name: '保存して、次へ' }))

    await expect(page).toHaveURL('/welcome/pictures')
    await choosePhotograph(page, thumb)
    await expectAccessible(page)
    await thumb.tap(page.getByRole('button', { name: '保存して、次へ' }))

    await expect(page).toHaveURL('/welcome/pages')
    for (const use of ['テニスサークル', '仕事の紹介']) {
      const box = page.getByLabel(new RegExp(`^${use}`))
      await expect(box).toBeChecked({ checked: sampleShop === 'yes' })
      if (sampleShop === 'yes') await thumb.tap(box)
    }
    await expect(page.getByRole('group', { name: 'お料理と営業日、予定を編集する人' })).toBeHidden()
    await expectAccessible(page)
    await thumb.tap(page.getByRole('button', { name: '保存して、サイトを見る' }))
    await expect(page).toHaveURL('/')
    await expect(getNotice(page, 'はじめての設定が終わりました。')).toBeVisible()

    const bar = page.getByRole('navigation', { name: '管理メニュー' })
    await thumb.tap(bar.getByRole('link', { name: 'お料理' }))
    await thumb.tap(page.getByRole('link', { name: '料理を追加' }))
    const sheet = page.getByRole('dialog')
    await thumb.fillIn(sheet, { 品名: '葵定食', 内容: '日替わりです', 価格: '980' })
    await thumb.tap(sheet.getByRole('button', { name: '追加する' }))
    await expect(page.getByRole('heading', { name: '葵定食' })).toBeVisible()

    await thumb.tap(bar.getByRole('link', { name: '本日の営業' }))
    if (sampleShop === 'yes') {
      await thumb.tap(page.getByRole('button', { name: '見本の内容をまとめて削除する' }))
      await expect(page.locator('[data-notice]').getByText(/^見本の内容を\d+件削除しました/)).toBeVisible()
    }
    await expect(getChecklistLinks(page)).toHaveText(laterSteps)
    await expect(page.getByText('見本の内容が')).toHaveCount(0)
    expect(thumb.taps).toBeLessThanOrEqual(limits.taps)
    expect(thumb.keys).toBeLessThanOrEqual(limits.keys)
    await expectSeenByGuest(browser, site.address)
    await context.close()
  })
}

test('lists the skipped setup steps on /today until the checklist is dismissed', async ({ browser }) => {
  await using site = await startSiteWithSetupKey({ SAMPLE_SHOP: 'no' })
  const context = await browser.newContext({ viewport: phone, baseURL: site.address, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(site.welcome)
  await fillIn(page, { お名前: owner.name, メールアドレス: owner.email, パスワード: owner.password })
  // If e-mail is not set up, the password cannot be reset, so the field shows the password.
  await expect(page.getByLabel('パスワード')).toHaveAttribute('type', 'text')
  await page.getByLabel('パスワード').press('Enter')
  for (const path of ['shop', 'hours', 'pictures']) {
    await expect(page).toHaveURL(`/welcome/${path}`)
    await page.getByRole('link', { name: 'あとで設定する' }).press('Enter')
  }
  await expect(page).toHaveURL('/welcome/pages')
  await page.getByRole('link', { name: 'このままサイトを見る' }).press('Enter')
  await expect(page).toHaveURL('/')
  for (const path of ['/tennisrelated', '/memberlist', '/videoproduction', '/vbacreate'])
    expect((await fetch(`${site.address}${path}`)).status, path).toBe(404)

  await page.goto('/today')
  const remainingSteps = getChecklistLinks(page)
  const all = [
    '店名と印を設定する',
    '住所と電話番号を入力する',
    '毎週の営業時間を設定する',
    'お料理を1品追加する',
    'ホームに写真を1枚追加する',
    ...laterSteps,
  ]
  await expect(remainingSteps).toHaveText(all)
  await expectAccessible(page)
  await remainingSteps.first().click()
  await expect(page).toHaveURL('/site#sign')
  await page.getByRole('textbox', { name: '店名' }).fill(shop.name)
  await page.getByRole('button', { name: '店名と印を保存する' }).click()
  await expect(page.locator('#sign [data-notice=done]')).toBeVisible()
  await page.goto('/today')
  await expect(remainingSteps).toHaveText(all.slice(1))
  await page.getByRole('button', { name: 'この一覧を非表示にする' }).click()
  await expect(remainingSteps).toHaveCount(0)
  await page.getByRole('button', { name: '元に戻す' }).click()
  await expect(remainingSteps).toHaveText(all.slice(1))
  await context.close()
})

// E-mail is not set up, so nobody is notified of contact messages.
const laterSteps = [
  '地図に表示されるようにする',
  'お店の紹介を書く',
  'SNSや予約サイトへのリンクを追加する（あれば）',
  'お問い合わせの通知が届くアドレスを設定する',
  'データの控えをダウンロードして、別の場所に置く',
]

function getChecklistLinks(page: Page) {
  return page.locator('section', { has: page.getByRole('heading', { name: '残っている準備' }) }).getByRole('link')
}

async function expectSeenByGuest(browser: Browser, address: string) {
  const guest = await browser.newContext({ baseURL: address, reducedMotion: 'reduce' })
  const page = await guest.newPage()
  await page.goto('/access')
  await expect(page.getByText(shop.telephone).first()).toBeVisible()
  await expect(page.getByText('605-0001').first()).toBeVisible()
  await page.goto('/infomation')
  await expect(page.getByText('火曜日・水曜日は定休日です').or(page.getByText('11:00〜21:00')).first()).toBeVisible()
  for (const path of ['/', '/infomation', '/dining', '/access', '/calendar', '/mail']) {
    await page.goto(path)
    await expect(page.getByText('ダイニング結')).toHaveCount(0)
    await expect(page.locator('header')).toContainText(shop.name)
  }
  await guest.close()
}
