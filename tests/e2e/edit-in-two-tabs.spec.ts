import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { signIn, test } from './editors.ts'
import { button, post, readHiddenField, uniqueName } from './forms.ts'
import { createCard } from './forms-of-cards.ts'
import { createMember } from './forms-of-circle.ts'
import { createEvent } from './forms-of-days.ts'
import { createPage } from './forms-of-pages.ts'
import { keptDrafts, storedDrafts } from './kept-drafts.ts'
import {
  desktop,
  expect,
  expectAccessible,
  getNotice,
  open,
  openWithLiveUpdates,
  phone,
  pressAndRead,
} from './visitors.ts'

const box = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name })
const save = (page: Page) => page.getByRole('button', { name: '保存する' }).click()

/** Adds a card to a collection and opens its edit form. Returns the path of the form. */
async function openForm(page: Page, collection: string) {
  await page.goto('/api/health')
  const path = `/firestoreservice/${await createCard(page, collection)}/edit`
  await open(page, path)
  return path
}

// A request without the IDs of a tab's saves comes from another tab.
const saveInOtherTab = (page: Page, path: string, title: string) =>
  post(page, path, { intent: 'save', version: '1', title, content: '内容' })

test('merges changes of different fields from two tabs', async ({ owner }) => {
  const page = await owner()
  const path = await openForm(page, 'vbacreate')
  await saveInOtherTab(page, path, '納品書をまとめて')
  await box(page, '内容').fill('月末にひと押しで。')
  await save(page)
  await expect(getNotice(page, 'ほかの方の変更とあわせて保存しました。')).toBeVisible()
  const card = page.locator('article', { hasText: '納品書をまとめて' })
  await expect(card).toContainText('月末にひと押しで。')
  await pressAndRead(page, '元に戻す', '元に戻しました。')
  await expect(card).not.toContainText('月末にひと押しで。')
  await expect(card).toBeVisible()
})

test('offers both texts when two tabs change the same field', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  const path = await openForm(page, 'socialefficiency')
  await saveInOtherTab(page, path, '先に書いた題')
  await box(page, 'タイトル').fill('あとから書いた題')
  await box(page, '内容').fill('あとから書いた内容')
  await save(page)
  const choice = page.getByRole('group', { name: 'タイトル：どちらを残しますか' })
  await expect(choice).toContainText('先に書いた題')
  await expect(box(page, 'タイトル')).toHaveValue('あとから書いた題')
  await expect(box(page, '内容')).toHaveValue('あとから書いた内容')
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await choice.getByRole('radio', { name: 'ほかの方の入力を残す' }).check()
  await save(page)
  const card = page.locator('article', { hasText: '先に書いた題' })
  await expect(card).toContainText('あとから書いた内容')
  await expect(page.getByText('あとから書いた題')).toHaveCount(0)
})

test('shows the photograph of the other tab when two tabs change the upright photograph of a slide', async ({
  owner,
}) => {
  const page = await owner()
  await page.goto('/api/health')
  const slide = { text1: uniqueName('路地の朝'), image: '/art/story-alley-1920.jpg' }
  const location = await post(page, '/firestoreservice?databasename=home', { intent: 'add', ...slide })
  const path = `/firestoreservice/${location.split('#card-')[1]}/edit`
  await open(page, path)
  const ownUrl = '/art/scene-noren-800.jpg'
  await page.locator('[name=portraitImage]').evaluate((input: HTMLInputElement, url) => {
    input.value = url
  }, ownUrl)
  const portraitImage = '/art/scene-counter-800.jpg'
  await post(page, path, { intent: 'save', version: '1', ...slide, portraitImage })
  await save(page)
  const choice = page.getByRole('group', { name: 'スマートフォン用の縦長の写真：どちらを残しますか' })
  await expect(choice.getByRole('img', { name: 'ほかの方の写真' })).toBeVisible()
  await expect(choice).not.toContainText('/art/')
})

// A load from before the deletion may still be in flight.
const waitForDeletedPage = (page: Page, path: string) =>
  page.waitForResponse((response) => response.url().includes(`${path}.data`) && response.status() === 404)

async function createRecord(page: Page, list: string, fields: Record<string, string>) {
  const id = crypto.randomUUID()
  await post(page, `${list}/new/add`, { id, version: '0', ...fields })
  return `${list}/${id}/edit`
}

for (const { record, create, name } of [
  { record: 'dish', create: async (page: Page) => `/dining/${await createCard(page, 'dining')}/edit`, name: 'content' },
  {
    record: 'section',
    create: (page: Page) => createRecord(page, '/dining/sections', { name: uniqueName('消える分類'), served: 'any' }),
    name: 'introduction',
  },
  {
    record: 'notice',
    create: (page: Page) => createRecord(page, '/notices', { text: uniqueName('消えるお知らせ'), place: 'every' }),
    name: 'text',
  },
  { record: 'page', create: createPage, name: 'title' },
])
  test(`keeps the input in the form of a ${record} when another tab deletes the ${record}`, async ({ owner }) => {
    const page = await owner({ viewport: desktop })
    await page.goto('/api/health')
    const path = await create(page)
    await openWithLiveUpdates(page, path)
    const input = page.locator(`[name=${name}]`)
    await input.fill('書いているところです。')
    const revalidated = waitForDeletedPage(page, path)
    await post(page, path, { intent: 'delete', version: await readHiddenField(page, 'version') })
    await revalidated
    await save(page)
    await expect(getNotice(page, 'すでに削除されているようです。')).toBeVisible()
    await expect(input).toHaveValue('書いているところです。')
  })

test('keeps the input in the form of a member when another tab deletes the member', async ({ owner }) => {
  const page = await owner({ viewport: desktop })
  await page.goto('/api/health')
  const name = await createMember(page)
  await open(page, `/memberlist?q=${name}`)
  const path = (await page.locator('article a[href^="/membercreate/"]').getAttribute('href')) ?? ''
  await open(page, path)
  const input = box(page, '自己紹介')
  await input.fill('書いているところです。')
  await post(page, '/memberlist', { deed: 'delete', member: path.split('/').at(-1) ?? '' })
  const revalidated = waitForDeletedPage(page, path)
  await page.evaluate(() => void window.__reactRouterDataRouter?.revalidate())
  await revalidated
  await button(page, '次へ').click()
  await expect(getNotice(page, 'このメンバーは見つかりません。')).toBeVisible()
  await expect(input).toHaveValue('書いているところです。')
})

test('keeps the input in the form of an event when another tab moves and then deletes the event', async ({ owner }) => {
  const page = await owner({ viewport: desktop })
  await page.goto('/api/health')
  const { path, event } = await createEvent(page)
  await openWithLiveUpdates(page, path)
  await button(page, '編集する').click()
  const input = page.getByRole('dialog').locator('[name=content]')
  await input.fill('書いているところです。')
  const links = page.locator(`[data-day="${event.day}"]`).getByText(event.title)
  await expect(links).not.toHaveCount(0)

  const day = `${Number(event.day.slice(0, 4)) + 1}${event.day.slice(4)}`
  await post(page, '/calendar', { intent: 'move', id: event.id, version: '1', day })
  await expect(links).toHaveCount(0)
  await save(page)
  await expect(getNotice(page, 'ほかの方が先に保存しました。')).toBeVisible()
  await expect(input).toHaveValue('書いているところです。')
  // A second save must not move the event back.
  await expect(page.getByRole('dialog').locator('[name=day]').first()).toHaveValue(day)

  await post(page, '/calendar', { intent: 'delete', id: event.id, version: '2' })
  await save(page)
  await expect(getNotice(page, 'この予定は、すでに削除されています。')).toBeVisible()
  await expect(input).toHaveValue('書いているところです。')
})

test('restores the input after the browser is killed, and removes the draft after a save', async ({ site }) => {
  const folder = await mkdtemp(join(tmpdir(), 'noren-killed-'))
  const start = async () => {
    const { launchOptions, contextOptions, locale } = test.info().project.use
    const options = { ...launchOptions, ...contextOptions, baseURL: site, ...(locale && { locale }) }
    const context = await chromium.launchPersistentContext(folder, options)
    await context.addCookies([{ name: 'as', value: 'owner', url: site }])
    const page = await context.newPage()
    await open(page, '/firestoreservice?databasename=tennisrelated')
    return { context, page }
  }
  const first = await start()
  await box(first.page, 'タイトル').fill('春の大会')
  await box(first.page, '内容').pressSequentially('日曜日に、みんなで。')
  await expect.poll(() => first.page.evaluate(keptDrafts)).toContain('日曜日に、みんなで。')
  const browserClosed = new Promise((resolve) => first.context.once('close', resolve))
  const browser = await first.context.browser()?.newBrowserCDPSession()
  const { processInfo = [] } = (await browser?.send('SystemInfo.getProcessInfo')) ?? {}
  process.kill(processInfo.find(({ type }) => type === 'browser')?.id ?? Number.NaN, 'SIGKILL')
  await browserClosed

  const { context, page } = await start()
  await expect(getNotice(page, '前回の入力の続き')).toBeVisible()
  await expect(box(page, 'タイトル')).toHaveValue('春の大会')
  await expect(box(page, '内容')).toHaveValue('日曜日に、みんなで。')

  await pressAndRead(page, '追加する', '追加しました。')
  await expect(page.locator('article', { hasText: '春の大会' })).toBeVisible()
  await expect.poll(() => storedDrafts(page)).toBe('[]')
  await context.close()
  await rm(folder, { recursive: true })
})

test('shows a draft only to its editor, until the editor discards the draft or signs out', async ({ owner }) => {
  const page = await owner()
  const form = '/firestoreservice?databasename=dining'
  const name = box(page, /^(?:タイトル|品名)/)
  const restoredNotice = getNotice(page, '前回の入力の続き')
  page.on('dialog', (dialog) => dialog.accept())
  const typeDraft = async (text: string) => {
    await name.fill(text)
    await expect.poll(() => storedDrafts(page)).toContain(text)
  }
  await open(page, form)
  await typeDraft('わたしの下書き')

  await test.step('hides the draft from a visitor', async () => {
    await page.context().clearCookies()
    await open(page, form)
    await expect(page.getByText('ログインしてください').first()).toBeVisible()
    await expect(restoredNotice).toHaveCount(0)
  })

  await test.step('hides the draft from another editor, and keeps the drafts of both editors', async () => {
    await signIn('approved', page, page.url())
    await open(page, form)
    await typeDraft('ほかの方の皿')
    await expect(restoredNotice).toHaveCount(0)
    await signIn('owner', page, page.url())
    await open(page, form)
    await expect(restoredNotice).toBeVisible()
    await expect(name).toHaveValue('わたしの下書き')
  })

  await test.step('discards only the draft of the editor', async () => {
    await page.getByRole('button', { name: '破棄する' }).click()
    await expect(name).toHaveValue('')
    await expect.poll(() => storedDrafts(page)).not.toContain('わたしの下書き')
    expect(await storedDrafts(page)).toContain('ほかの方の皿')
    await open(page, form)
    // A restored draft would appear after this read of the same store.
    await storedDrafts(page)
    await expect(name).toHaveValue('')
    await expect(restoredNotice).toHaveCount(0)
  })

  await test.step('removes all drafts from the browser on sign-out', async () => {
    await typeDraft('もうひとつの下書き')
    await page.locator('header').getByRole('button', { name: 'ログアウト' }).click()
    await page.waitForURL('**/home')
    await expect.poll(() => storedDrafts(page)).toBe('')
  })
})

test('prompts before leaving only when a field has unsaved input', async ({ owner }) => {
  const page = await owner()
  await openForm(page, 'municipalarchitect')
  await page.getByRole('link', { name: '閉じる' }).click()
  await page.waitForURL('**/municipalarchitect')
  await expect(box(page, 'タイトル')).toHaveCount(0)
  await page.goBack()
  await box(page, 'タイトル').fill('別の題')
  await page.getByRole('link', { name: '閉じる' }).click()
  const question = page.getByRole('alertdialog', { name: /まだ保存されていません/ })
  await expect(question).toBeVisible()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'やめる' }).click()
  await expect(box(page, 'タイトル')).toHaveValue('別の題')
  await page.getByRole('link', { name: '閉じる' }).click()
  await question.getByRole('button', { name: '閉じる' }).click()
  await page.waitForURL('**/municipalarchitect')
})

test('limits the day options to the length of the month, and permits an empty date', async ({ owner }) => {
  const page = await owner()
  await open(page, '/firestoreservice?databasename=vbacreate')
  const part = (unit: string) => page.getByRole('combobox', { name: unit, exact: true })
  const [year, month, day] = [part('年'), part('月'), part('日')]
  await year.selectOption('2024')
  await month.selectOption('1')
  await day.selectOption('31')
  await month.selectOption('2')
  await expect(day).toHaveValue('29')
  await year.selectOption('1900')
  await expect(day).toHaveValue('28')
  await expect(day.getByRole('option')).toHaveCount(29)
  await year.selectOption('')
  await expect(month).toHaveValue('')
})

test('names the permitted editors and links to sign-in when a visitor opens a form URL', async ({ page }) => {
  await open(page, '/tennisrelated/new/add')
  await expect(page.getByText('この操作は管理者だけが行えます。ログインしてください')).toBeVisible()
  await expect(page.getByRole('button', { name: '追加する' })).toBeDisabled()
  await expectAccessible(page)
  await page.getByRole('main').getByRole('link', { name: 'ログインしてください' }).click()
  await page.waitForURL('**/login')
})
