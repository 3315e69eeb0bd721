import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import SQLite from 'better-sqlite3'
import { closeAlert, fillMemberForm, followAlertToRegistration, signUp } from './registering.ts'
import { test as baseTest, expect, expectAccessible, fillIn, getNotice, open, startSite } from './visitors.ts'

/** A test with its own site and no mail server. `mails` reads the e-mails that the site would send. */
const test = baseTest.extend<{
  shop: { url: string; mails: () => Promise<string[]>; stored: (table: 'messages' | 'outbox') => string[] }
  openAsOwner: () => Promise<Page>
  write: Write
}>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the required fixtures from the pattern
  shop: async ({}, use) => {
    const { service, stop } = await startSite()
    const folder = join(service.folder, 'mails')
    const mails = async () => {
      const names = await readdir(folder).catch(() => [])
      return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    }
    /** Returns the subjects of the stored messages, or of the mails whether sent or not. */
    const stored = (table: 'messages' | 'outbox') => {
      const db = new SQLite(join(service.folder, 'site.db'), { readonly: true })
      const rows = db.prepare(`select subject from ${table} order by createdAt`).pluck().all()
      db.close()
      return rows as string[]
    }
    await use({ url: service.url, mails, stored })
    await stop()
  },
  openAsOwner: ({ browser, shop }, use) =>
    use(async () => {
      const context = await browser.newContext({ baseURL: shop.url, reducedMotion: 'reduce' })
      const owner = await context.newPage()
      await becomeOwner(owner)
      return owner
    }),
  write: ({ request, shop }, use) =>
    use(async (subject, more) => {
      const data = { to: 'shop', subject, text: '五名で', from: 'a@example.jp', ...more }
      await request.post(`${shop.url}/api/mail`, { data })
    }),
})
test.describe.configure({ timeout: 120_000 })

type Write = (subject: string, more?: { to?: string; text?: string; from?: string | undefined }) => Promise<void>

test('delivers a message once when it is sent again after a lost response', async ({ browser, shop }) => {
  const device = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const phone = await browser.newContext({ baseURL: shop.url, reducedMotion: 'reduce', ...device })
  const visitor = await phone.newPage()
  await open(visitor, '/mail')
  const openedAt = Date.now()
  await expectAccessible(visitor)
  const send = visitor.getByRole('button', { name: '送信する' })
  await send.click()
  for (const errorText of ['宛先を選んでください', '件名を入力してください', '本文を入力してください'])
    await expect(visitor.getByRole('main').getByText(errorText)).toBeVisible()
  await expectAccessible(visitor)

  await visitor.getByLabel('宛先').selectOption('お店')
  await fillIn(visitor, { 件名: '席のご相談', 本文: '来週の土曜日に、五名で伺えますか。' })
  await visitor.getByLabel('返信先のメールアドレス').fill('hana@example.jp')
  await expect(visitor.getByText('件名を入力してください')).toBeHidden()

  await phone.setOffline(true)
  await send.click()
  await expect(getNotice(visitor, '通信エラーが発生しました')).toBeInViewport()
  await phone.setOffline(false)
  await visitor.route('**/mail.data*', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
  await send.click()
  await expect(getNotice(visitor, '通信エラーが発生しました')).toBeInViewport()
  await visitor.unroute('**/mail.data*')
  // The server receives the message, but its response is lost. The repeated message must not be stored twice.
  await visitor.route('**/mail.data*', async (route) => {
    await expect.poll(() => Date.now() - openedAt, 'as long as a person takes').toBeGreaterThan(3000)
    await route.fetch()
    await route.abort()
  })
  await send.click()
  await expect(getNotice(visitor, '通信エラーが発生しました')).toBeInViewport()
  await visitor.unroute('**/mail.data*')
  await expect(visitor.getByLabel('本文')).toHaveValue('来週の土曜日に、五名で伺えますか。')
  await send.click()
  await expect(getNotice(visitor, '送信しました')).toBeVisible()
  await expectAccessible(visitor)
  await expect.poll(async () => (await shop.mails()).length).toBe(1)

  await visitor.getByRole('link', { name: 'もう一通書く' }).click()
  await visitor.getByLabel('宛先').selectOption('テニスサークル')
  await fillIn(visitor, { 件名: '名乗らずに', 本文: 'いつも応援しています。' })
  await send.click()
  await expect(getNotice(visitor, '送信しました')).toBeVisible()
  // A duplicate may be stored after the assertion on the mails.
  expect(shop.stored('messages')).toEqual(['席のご相談', '名乗らずに'])
  // The second message has no mail if the test writes it faster than a person.
  expect(shop.stored('outbox').filter((subject) => subject.includes('席'))).toHaveLength(1)
  await phone.close()
})

test('shows, finishes and searches messages in the inbox', async ({ write, openAsOwner, shop }) => {
  await write('席のご相談', { text: '来週の土曜日に、五名で伺えますか。', from: 'hana@example.jp' })
  await write('名乗らずに', { to: 'circle', text: 'いつも応援しています。', from: undefined })
  const owner = await openAsOwner()
  await owner.getByRole('link', { name: '受信箱' }).click()
  const message = owner.getByRole('listitem', { name: '席のご相談' })
  const other = owner.getByRole('listitem', { name: '名乗らずに' })
  await expect(message).toContainText('来週の土曜日に、五名で伺えますか。')
  const replyLink = message.getByRole('link', { name: 'メールソフトで返信する' })
  const draftUrl = new URL((await replyLink.getAttribute('href')) ?? '')
  expect([draftUrl.protocol, draftUrl.pathname]).toEqual(['mailto:', 'hana@example.jp'])
  expect(draftUrl.searchParams.get('body')).toContain('> 来週の土曜日に、五名で伺えますか。')
  await expect(other).not.toContainText('返信を書く')
  await expectAccessible(owner)

  const kinds = owner.getByRole('navigation', { name: 'お問い合わせの種類' })
  await kinds.getByRole('link', { name: '未対応' }).click()
  await expect(owner.getByText('2件あります。').first()).toBeVisible()
  await message.getByRole('button', { name: '対応済みにする' }).click()
  await expect(message).toBeHidden()
  await expect(other).toBeVisible()
  await expect(getNotice(owner, '対応済みにしました。')).toBeVisible()
  // If the press was a mistake, the notice offers an undo.
  await owner.getByRole('button', { name: '元に戻す' }).click()
  await expect(message).toBeVisible()
  await message.getByRole('button', { name: '対応済みにする' }).click()
  await expect(message).toBeHidden()

  await kinds.getByRole('link', { name: '済み' }).click()
  await expect(message).toContainText('済み')
  await expect(other).toBeHidden()
  const search = owner.getByRole('searchbox', { name: '件名・本文・返信先から探す' })
  await search.fill('土曜　ＨＡＮＡ')
  await search.press('Enter')
  await expect(owner).toHaveURL(/[?&]show=done/)
  await expect(owner.getByRole('main').getByText('1件見つかりました。')).toBeVisible()
  await expect(search).toBeFocused()
  await search.fill('応援')
  await owner.getByRole('button', { name: '探す' }).click()
  await expect(owner.getByRole('main').getByText('検索条件に合うお問い合わせはありません。')).toBeVisible()
  await kinds.getByRole('link', { name: 'すべて' }).click()
  await expect(other).toBeVisible()
  await expect(search).toHaveValue('応援')
  await expectAccessible(owner)
  expect((await shop.mails()).filter((mail) => /^To: hana@example\.jp\r$/m.test(mail))).toEqual([])
})

test('removes a finished message from the inbox in another tab', async ({ write, openAsOwner }) => {
  const [message, more] = ['席のご相談', '忘れもののこと']
  for (const subject of [message, more]) await write(subject)
  const owner = await openAsOwner()
  await open(owner, '/inbox?show=open')
  const tab = await owner.context().newPage()
  await open(tab, '/inbox?show=open')
  await expect(tab.getByRole('listitem', { name: message })).toBeVisible()
  await owner.getByRole('listitem', { name: message }).getByRole('button', { name: '対応済みにする' }).click()
  await expect(owner.getByRole('listitem', { name: message })).toBeHidden()
  await tab.bringToFront()
  await expect(tab.getByRole('listitem', { name: message })).toBeHidden()
  await expect(tab.getByRole('listitem', { name: more })).toBeVisible()
  await expect(tab).toHaveURL(/\?show=open$/)
})

test('keeps a message in the unread list until it is marked as read', async ({ write, openAsOwner }) => {
  for (const subject of ['一通目', '二通目', '三通目']) await write(subject, { from: undefined })
  const owner = await openAsOwner()
  await open(owner, '/inbox?show=unread')
  const message = (name: string) => owner.getByRole('listitem', { name })
  await message('二通目').getByRole('button', { name: '既読にする' }).click()
  await expect(message('二通目')).toBeHidden()
  await expect(message('一通目')).toBeVisible()
  await owner.getByRole('button', { name: '表示中のものをすべて既読にする' }).click()
  await expect(owner.getByRole('main').getByText('未読のお問い合わせはありません。')).toBeVisible()
})

test('deletes, restores and releases messages that are quarantined as spam', async ({ openAsOwner, request, shop }) => {
  const [guest, advert] = ['席のご相談', '格安のご案内']
  const spamFields = { to: 'shop', text: '五名で', from: 'a@example.jp', homepage: 'https://spam.example' }
  for (const subject of [guest, advert])
    await request.post(`${shop.url}/mail`, {
      form: { ...spamFields, subject, once: subject },
      headers: { origin: shop.url },
    })
  const owner = await openAsOwner()
  await open(owner, '/inbox')
  await expect(owner.getByRole('main').getByText('お問い合わせはまだありません。')).toBeVisible()
  await expect(owner.getByRole('link', { name: '受信箱', exact: true })).toBeVisible()
  await owner.getByRole('link', { name: '迷惑メールの可能性（2）' }).click()
  const message = (name: string) => owner.getByRole('listitem', { name })
  await expect(message(guest)).toBeVisible()
  await expectAccessible(owner)
  await message(advert).getByRole('button', { name: '削除する' }).click()
  await expect(message(advert)).toBeHidden()
  await expect(getNotice(owner, '削除しました。')).toBeVisible()
  await owner.getByRole('button', { name: '元に戻す' }).click()
  await expect(message(advert)).toBeVisible()
  await owner.getByRole('button', { name: '表示中のものをすべて削除する' }).click()
  await expect(owner.getByRole('main').getByText('迷惑メールの可能性があるものはありません。')).toBeVisible()
  await expect(getNotice(owner, '削除しました。')).toBeVisible()
  await owner.getByRole('button', { name: '元に戻す' }).click()
  await expect(owner.getByRole('listitem', { name: /席のご相談|格安のご案内/ })).toHaveCount(2)
  await message(guest).getByRole('button', { name: '迷惑メールではありません' }).click()
  await expect(message(guest)).toBeHidden()
  await expect(getNotice(owner, '「迷惑メールの可能性」から外しました。')).toBeVisible()
  await expect.poll(async () => (await shop.mails()).length).toBe(1)
  await owner.getByRole('navigation', { name: 'お問い合わせの種類' }).getByRole('link', { name: 'すべて' }).click()
  await expect(message(guest)).toBeVisible()
  await expect(message(advert)).toBeHidden()
  expect(shop.stored('outbox')).toEqual([`お問い合わせ：${guest}`])
})

async function becomeOwner(owner: Page) {
  await signUp(owner, '暖簾 結', 'noren@example.jp')
  await followAlertToRegistration(owner)
  await fillMemberForm(owner, '暖簾 結', '結')
  await owner.getByRole('button', { name: '上記の内容で登録する' }).click()
  await closeAlert(owner, '最初の登録者のため、管理者権限を付与しました')
}
