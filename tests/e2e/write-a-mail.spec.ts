import { mkdtempSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import SQLite from 'better-sqlite3'
import { openDatabase } from '../../db/open.ts'
import { demoAccounts, openAccounts, registerPeople } from '../../server/tools/demo.ts'
import { password, signInByRequest } from './registering.ts'
import {
  test as baseTest,
  expect,
  expectAccessible,
  fillIn,
  getNotice,
  goOffline,
  goOnline,
  open,
  phone,
  startSite,
} from './visitors.ts'

type Shop = Awaited<ReturnType<typeof startShop>>['service']
type Write = (subject: string, more?: { to?: string; text?: string; from?: string | undefined }) => Promise<void>

/** A test on a site with an owner and without a mail server. Each test begins with an empty inbox. */
const test = baseTest.extend<{ shop: Shop; openAsOwner: (path: string) => Promise<Page>; write: Write }>({
  shop: async ({ startOnce }, use) => {
    const shop = await startOnce('shop with an inbox', startShop)
    await use(shop)
    await shop.deliverMails()
    await shop.clear()
  },
  site: ({ shop }, use) => use(shop.url),
  openAsOwner: ({ openPage, shop }, use) =>
    use(async (path) => {
      const owner = await openPage()
      await signInByRequest(owner, shop.url, demoAccounts.administrator.email)
      await open(owner, path)
      return owner
    }),
  write: ({ request, shop }, use) =>
    use(async (subject, more) => {
      const data = { to: 'shop', subject, text: '五名で', from: 'a@example.jp', ...more }
      const response = await request.post(`${shop.url}/api/mail`, { data })
      expect(response.ok(), await response.text()).toBe(true)
    }),
})
// All tests share one site, in one worker.
test.describe.configure({ mode: 'default' })

async function startShop() {
  const folder = mkdtempSync(join(tmpdir(), 'noren-inbox-'))
  const ownerDatabase = await openDatabase({ file: join(folder, 'site.db') })
  await openAccounts(ownerDatabase, password, Date.now())
  await registerPeople(ownerDatabase, Date.now())
  await ownerDatabase.destroy()
  const { service, stop } = await startSite({ folder })
  const db = new SQLite(join(folder, 'site.db'))
  const mailFolder = join(folder, 'mails')
  /** Returns the e-mails that the site would send. */
  const readMails = async () => {
    const names = await readdir(mailFolder).catch(() => [])
    return Promise.all(names.map((name) => readFile(join(mailFolder, name), 'utf8')))
  }
  // At night, push notifications wait in the outbox.
  const onlyMails = { messages: '', outbox: ` where channel = 'mail'` }
  /** Returns the subjects of the stored messages, or of the queued and delivered e-mails. */
  const readSubjects = (table: 'messages' | 'outbox') =>
    db.prepare<[], string>(`select subject from ${table}${onlyMails[table]} order by createdAt`).pluck().all()
  const countWaiting = db.prepare(`select count(*) from outbox${onlyMails.outbox} and state = 'waiting'`).pluck()
  /** Waits until every queued e-mail is delivered. */
  const deliverMails = () => expect.poll(() => countWaiting.get(), 'waiting e-mails').toBe(0)
  const clear = async () => {
    for (const table of ['outbox', 'messages']) db.exec(`delete from ${table}`)
    await rm(mailFolder, { recursive: true, force: true })
  }
  return {
    service: { url: service.url, readMails, readSubjects, deliverMails, clear },
    stop: async () => {
      db.close()
      await stop()
    },
  }
}

const BUSY = 'ただいま混み合っています。'

test('delivers a message once when it is sent again after a lost response and an error', async ({ openPage, shop }) => {
  const visitor = await openPage({ viewport: phone, hasTouch: true, isMobile: true })
  let network: 'offline' | 'broken' | 'losing responses' | 'busy' | 'working' = 'working'
  let attempts = 0
  await visitor.route('**/mail.data*', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    attempts += 1
    if (network === 'offline') return route.continue()
    if (network === 'broken') return route.fulfill({ status: 502, body: 'Bad gateway' })
    if (network === 'busy') return route.fulfill({ status: 503, body: BUSY })
    // A person needs longer than the test. The site quarantines a message that was written within three seconds.
    const sent = route.request().postData() ?? ''
    const postData = sent.replace(/(?<=shownAt=)\d+/, (shownAt) => `${Number(shownAt) - 3000}`)
    expect(postData).not.toBe(sent)
    if (network === 'working') return route.continue({ postData })
    await route.fetch({ postData })
    await route.abort()
  })
  await open(visitor, '/mail')
  const send = visitor.getByRole('button', { name: '送信する' })
  await send.click()
  for (const errorText of ['宛先を選んでください', '件名を入力してください', '本文を入力してください'])
    await expect(visitor.getByRole('main').getByText(errorText)).toBeVisible()
  await expectAccessible(visitor)

  await visitor.getByLabel('宛先').selectOption('お店')
  await fillIn(visitor, { 件名: '席のご相談', 本文: '来週の土曜日に、五名で伺えますか。' })
  await visitor.getByLabel('返信先のメールアドレス').fill('hana@example.jp')
  await expect(visitor.getByText('件名を入力してください')).toBeHidden()

  const failAt = async (state: typeof network, error = '通信エラーが発生しました') => {
    network = state
    const attempt = attempts + 1
    await send.click()
    await expect.poll(() => attempts).toBe(attempt)
    // The button has its name again when the attempt has ended.
    await expect(send).toBeVisible()
    await expect(getNotice(visitor, error)).toBeInViewport()
  }
  await goOffline(visitor)
  await failAt('offline')
  await goOnline(visitor)
  await failAt('broken')
  // The server receives the message, but its response is lost. The repeated message must not be stored twice.
  await failAt('losing responses')
  await failAt('busy', BUSY)
  await expect(visitor.getByLabel('本文')).toHaveValue('来週の土曜日に、五名で伺えますか。')
  network = 'working'
  await send.click()
  await expect(getNotice(visitor, '送信しました')).toBeVisible()
  await expectAccessible(visitor)

  await visitor.getByRole('link', { name: 'もう一通書く' }).click()
  await visitor.getByLabel('宛先').selectOption('テニスサークル')
  await fillIn(visitor, { 件名: '名乗らずに', 本文: 'いつも応援しています。' })
  await send.click()
  await expect(getNotice(visitor, '送信しました')).toBeVisible()
  const subjects = ['席のご相談', '名乗らずに']
  expect(shop.readSubjects('messages')).toEqual(subjects)
  await shop.deliverMails()
  expect(shop.readSubjects('outbox')).toEqual(subjects.map((subject) => `お問い合わせ：${subject}`))
  expect(await shop.readMails()).toHaveLength(2)
})

test('shows, finishes and searches messages in the inbox, and updates another tab', async ({
  write,
  openAsOwner,
  shop,
}) => {
  await write('席のご相談', { text: '来週の土曜日に、五名で伺えますか。', from: 'hana@example.jp' })
  await write('名乗らずに', { to: 'circle', text: 'いつも応援しています。', from: undefined })
  const owner = await openAsOwner('/')
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
  const tab = await owner.context().newPage()
  await open(tab, '/inbox?show=open')
  await expect(tab.getByRole('listitem', { name: '席のご相談' })).toBeVisible()
  await owner.bringToFront()
  await message.getByRole('button', { name: '対応済みにする' }).click()
  await expect(message).toBeHidden()
  await expect(other).toBeVisible()
  await expect(getNotice(owner, '対応済みにしました。')).toBeVisible()
  await tab.bringToFront()
  await expect(tab.getByRole('listitem', { name: '席のご相談' })).toBeHidden()
  await expect(tab.getByRole('listitem', { name: '名乗らずに' })).toBeVisible()
  await expect(tab).toHaveURL(/\?show=open$/)
  await tab.close()
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
  await shop.deliverMails()
  expect((await shop.readMails()).filter((mail) => /^To: hana@example\.jp\r$/m.test(mail))).toEqual([])
})

test('keeps a message in the unread list until it is marked as read', async ({ write, openAsOwner }) => {
  for (const subject of ['一通目', '二通目', '三通目']) await write(subject, { from: undefined })
  const owner = await openAsOwner('/inbox?show=unread')
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
  const owner = await openAsOwner('/inbox')
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
  await owner.getByRole('navigation', { name: 'お問い合わせの種類' }).getByRole('link', { name: 'すべて' }).click()
  await expect(message(guest)).toBeVisible()
  await expect(message(advert)).toBeHidden()
  await shop.deliverMails()
  expect(shop.readSubjects('outbox')).toEqual([`お問い合わせ：${guest}`])
  expect(await shop.readMails()).toHaveLength(1)
})
