import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { closeAlert, goOnToRegister, register, signUp } from './registering.ts'
import { axe, expect, open, startSite, told, test as visit } from './visitors.ts'

/** A site of the test's own with no mail server: what it would send lies in `mails`. */
const test = visit.extend<{ shop: { address: string; mails: () => Promise<string[]> } }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what is needed
  shop: async ({}, use) => {
    const { running, stop } = await startSite()
    const folder = join(running.folder, 'mails')
    const mails = async () => {
      const names = await readdir(folder).catch(() => [])
      return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    }
    await use({ address: running.address, mails })
    await stop()
  },
})

test('a visitor on a phone writes, and again where the answer was lost', async ({ browser, shop }) => {
  test.setTimeout(120_000)
  const phone = await browser.newContext({
    baseURL: shop.address,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    reducedMotion: 'reduce',
  })
  const visitor = await phone.newPage()
  await open(visitor, '/mail')
  const opened = Date.now()
  await axe(visitor)
  const send = visitor.getByRole('button', { name: '送信する' })
  await send.click()
  for (const words of ['宛先を選んでください', '件名を入力してください', '本文を入力してください'])
    await expect(visitor.getByRole('main').getByText(words)).toBeVisible()
  await axe(visitor)

  await visitor.getByLabel('宛先').selectOption('お店')
  await visitor.getByLabel('件名').fill('席のご相談')
  await visitor.getByLabel('本文').fill('来週の土曜日に、五名で伺えますか。')
  await visitor.getByLabel('返信先のメールアドレス').fill('hana@example.jp')
  await expect(visitor.getByText('件名を入力してください')).toBeHidden()

  await phone.setOffline(true)
  await send.click()
  await expect(told(visitor, '通信エラーが発生しました')).toBeInViewport()
  await phone.setOffline(false)
  await visitor.route('**/mail.data*', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
  await send.click()
  await expect(told(visitor, '通信エラーが発生しました')).toBeInViewport()
  await visitor.unroute('**/mail.data*')
  // The answer is lost, the message is not: it goes out again and is one.
  await visitor.route('**/mail.data*', async (route) => {
    await expect.poll(() => Date.now() - opened, 'as long as a person takes').toBeGreaterThan(3000)
    await route.fetch()
    await route.abort()
  })
  await send.click()
  await expect(told(visitor, '通信エラーが発生しました')).toBeInViewport()
  await visitor.unroute('**/mail.data*')
  await expect(visitor.getByLabel('本文')).toHaveValue('来週の土曜日に、五名で伺えますか。')
  await send.click()
  await expect(told(visitor, '送信しました')).toBeVisible()
  await axe(visitor)
  await expect.poll(async () => (await shop.mails()).length).toBe(1)

  await visitor.getByRole('link', { name: 'もう一通書く' }).click()
  await visitor.getByLabel('宛先').selectOption('テニスサークル')
  await visitor.getByLabel('件名').fill('名乗らずに')
  await visitor.getByLabel('本文').fill('いつも応援しています。')
  await send.click()
  await expect(told(visitor, '送信しました')).toBeVisible()
  await phone.close()
})

test('the owner reads what was written, and answers', async ({ browser, request, shop }) => {
  test.setTimeout(120_000)
  const letters = [
    { to: 'shop', subject: '席のご相談', text: '来週の土曜日に、五名で伺えますか。', from: 'hana@example.jp' },
    { to: 'circle', subject: '名乗らずに', text: 'いつも応援しています。' },
  ]
  for (const data of letters) await request.post(`${shop.address}/api/mail`, { data })
  const owner = await (await browser.newContext({ baseURL: shop.address, reducedMotion: 'reduce' })).newPage()
  await signUp(owner, '暖簾 結', 'noren@example.jp')
  await goOnToRegister(owner)
  await register(owner, '暖簾 結', '結')
  await owner.getByRole('button', { name: '上記の内容で登録する' }).click()
  await closeAlert(owner, '最初の登録者のため、管理者権限を付与しました')

  await owner.getByRole('link', { name: '受信箱' }).click()
  const letter = owner.getByRole('listitem', { name: '席のご相談' })
  await expect(letter).toContainText('来週の土曜日に、五名で伺えますか。')
  await expect(letter).toContainText('保存済み')
  await expect(owner.getByRole('listitem', { name: '名乗らずに' })).not.toContainText('返事を書く')
  await letter.getByText('返事を書く').click()
  await letter.getByRole('button', { name: '返事を送る' }).click()
  await expect(letter.getByText('本文を入力してください')).toBeVisible()
  await letter.getByLabel('お返事').fill('五名様でお待ちしております。')
  await axe(owner)
  await letter.getByRole('button', { name: '返事を送る' }).click()
  await expect(letter.getByRole('region', { name: 'お返事' })).toContainText('五名様でお待ちしております。')
  await axe(owner)
  await expect
    .poll(async () => (await shop.mails()).filter((mail) => /^To: hana@example\.jp\r$/m.test(mail)).length)
    .toBe(1)
})
