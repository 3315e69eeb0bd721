import type { Page } from '@playwright/test'
import { createTestOnOwnSite } from './editors.ts'
import { post, readHiddenField, uniqueName } from './forms.ts'
import { storedDrafts } from './kept-drafts.ts'
import { Thumb } from './taps.ts'
import { expect, expectAccessible, getNotice, open, phone, pressAndRead, waitForControls } from './visitors.ts'

const test = createTestOnOwnSite('site with a long menu')
const onPhone = { viewport: phone, hasTouch: true }

const box = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const article = (page: Page, title: string) => page.locator('li[id^=card-], article', { hasText: title }).first()

/** Adds a section and returns its ID. */
async function createSection(page: Page, name: string) {
  await page.goto('/dining/sections/new/add')
  const id = await readHiddenField(page, 'id')
  await post(page, '/dining/sections/new/add', { id, version: '0', name, served: 'any' })
  return id
}

/** Adds a dish and returns its ID. */
async function createDish(page: Page, fields: Record<string, string>) {
  if (page.url() === 'about:blank') await page.goto('/api/health')
  const location = await post(page, '/dining/new/add', { intent: 'add', ...fields })
  return /#card-(.*)$/.exec(location)?.[1] ?? ''
}

test('adds a section with ten drinks in at most 35 taps', async ({ owner }) => {
  const page = await owner(onPhone)
  const thumb = new Thumb()
  const section = uniqueName('お飲みもの')
  await open(page, '/dining')
  await thumb.tap(page.getByRole('link', { name: '分類を追加' }))
  await waitForControls(page)
  await thumb.fillIn(page, { 分類の名前: section })
  await thumb.tap(button(page, '追加する'))
  await expect(page.getByRole('heading', { name: section })).toBeVisible()

  await thumb.tap(page.getByRole('link', { name: `「${section}」に料理を追加` }))
  await waitForControls(page)
  await thumb.tap(box(page, '品名'))
  const drinks = Array.from({ length: 10 }, (_, index) => `飲みもの${index}番`)
  for (const [index, drink] of drinks.entries()) {
    await expect(box(page, '品名')).toBeFocused()
    await page.keyboard.type(drink)
    await thumb.type(box(page, '価格'), `${500 + index}`)
    await thumb.tap(button(page, '続けて追加'))
    await expect(getNotice(page, `「${drink}」を追加しました。`)).toBeVisible()
    await expect(box(page, '品名')).toHaveValue('')
  }
  await thumb.tap(button(page, '閉じる'))
  const group = page.locator('section', { has: page.getByRole('heading', { name: section }) })
  await expect(group.locator('h3')).toHaveText(drinks)
  expect(thumb.taps).toBeLessThanOrEqual(35)
})

test('opens an empty form in the same section after a dish was added, and takes the dish back', async ({ owner }) => {
  const page = await owner(onPhone)
  const [section, beer] = [uniqueName('お酒'), uniqueName('生ビール')]
  const id = await createSection(page, section)
  await open(page, '/dining')
  await page.getByRole('link', { name: '料理を追加', exact: true }).click()
  await waitForControls(page)
  await page.getByLabel('分類', { exact: true }).selectOption(id)
  await box(page, '品名').fill(beer)
  await box(page, '内容').fill('よく冷えています。')
  for (const name of ['アルコール', '小麦', /^アレルギー物質を確認しました/, /^下書きにする/])
    await page.getByRole('dialog').getByLabel(name).check()
  const order = await box(page, '並び順').inputValue()
  const added = getNotice(page, `「${beer}」を追加しました。`)

  await button(page, '続けて追加').click()
  await expect(added).toBeInViewport({ ratio: 1 })
  await expect(page.locator('dialog [data-announcements]')).toContainText(`「${beer}」を追加しました。`)
  await expect(page.getByRole('dialog').locator('input:checked')).toHaveCount(0)
  await expect(page.getByLabel('分類', { exact: true })).toHaveValue(id)
  await expect(box(page, '並び順')).toHaveValue(String(Number(order) + 1))
  for (const name of ['品名', '価格', '内容']) await expect(box(page, name)).toHaveValue('')
  await expectAccessible(page)

  await box(page, '品名').fill('瓶ビール')
  await pressAndRead(page, '元に戻す', '元に戻しました。')
  await expect(box(page, '品名')).toHaveValue('瓶ビール')
  await expect(article(page, beer)).toHaveCount(0)
  await box(page, '品名').fill('')
  await button(page, '続けて追加').click()
  await expect(page.getByText('品名を入力してください')).toBeVisible()
  await expect(box(page, '品名')).toBeFocused()
})

test('keeps the next dish as a draft, and asks before the sheet closes', async ({ owner }) => {
  const page = await owner(onPhone)
  await open(page, '/dining')
  await page.getByRole('link', { name: '料理を追加', exact: true }).click()
  await waitForControls(page)
  await box(page, '品名').fill(uniqueName('煎茶'))
  // Enter in a button, because the keyboard must do what a tap does.
  await button(page, '続けて追加').press('Enter')
  await expect(box(page, '品名')).toBeFocused()
  await expect(box(page, '品名')).toHaveValue('')
  await page.keyboard.type('ほうじ茶')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alertdialog')).toContainText('まだ保存されていません')
  await button(page, 'やめる').click()
  await expect.poll(() => storedDrafts(page)).toContain('ほうじ茶')
  await open(page, '/dining/new/add')
  await expect(box(page, '品名')).toHaveValue('ほうじ茶')
  await button(page, '破棄する').click()
  await expect(box(page, '品名')).toHaveValue('')
})

test('asks before the sheet closes directly after the first key', async ({ owner }) => {
  const page = await owner(onPhone)
  await open(page, '/dining/new/add')
  await box(page, '品名').evaluate(async (field: HTMLInputElement) => {
    field.value = '煎茶'
    field.dispatchEvent(new Event('input', { bubbles: true }))
    // The page has rendered the input, but no timer has run.
    await Promise.resolve()
    field.closest('dialog')?.dispatchEvent(new Event('cancel', { cancelable: true }))
  })
  await expect(page.getByRole('alertdialog')).toContainText('まだ保存されていません')
})

test('keeps the input when the chosen section was deleted meanwhile', async ({ owner }) => {
  const page = await owner(onPhone)
  const section = uniqueName('なくなる分類')
  const id = await createSection(page, section)
  await open(page, '/dining/new/add')
  await page.getByLabel('分類', { exact: true }).selectOption(id)
  await box(page, '品名').fill('迷子の皿')
  await post(page, `/dining/sections/${id}/edit`, { intent: 'delete', version: '1' })
  await expect(page.getByLabel('分類', { exact: true }).locator('option:checked')).toHaveText('削除された分類')
  await button(page, '追加する').click()
  await expect(page.getByText('この分類はすでに削除されています。選び直してください。')).toBeVisible()
  await expect(page.getByLabel('分類', { exact: true })).toBeFocused()
  await expect(box(page, '品名')).toHaveValue('迷子の皿')
  await page.getByLabel('分類', { exact: true }).selectOption('')
  await button(page, '追加する').click()
  await expect(article(page, '迷子の皿')).toBeVisible()
})

test('warns in the dialog that the dishes of a deleted draft section will be visible to guests', async ({ owner }) => {
  const page = await owner(onPhone)
  const warning = '削除すると、中の料理は、すぐにお客さまに表示されます。'
  const id = await createSection(page, uniqueName('公開中の分類'))
  await open(page, `/dining/sections/${id}/edit`)
  const dialog = page.getByRole('alertdialog')
  await button(page, 'この分類を削除する').click()
  await expect(dialog).toContainText('分類のない料理として')
  await expect(dialog).not.toContainText(warning)
  await button(page, 'やめる').click()
  await post(page, `/dining/sections/${id}/edit`, { version: '1', name: '秘密の献立', served: 'any', draft: 'on' })
  await open(page, `/dining/sections/${id}/edit`)
  await button(page, 'この分類を削除する').click()
  await expect(dialog).toContainText(warning)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: '削除する', exact: true }).click()
  await expect(getNotice(page, '分類を削除しました。')).toBeVisible()
})

test('duplicates a dish in the add form and places the copy after it', async ({ owner }) => {
  const page = await owner(onPhone)
  await open(page, '/dining')
  const titles = await page.locator('article h2').allTextContents()
  const [first = '', second = ''] = titles
  const picture = await page.locator('article img').first().getAttribute('src')
  await article(page, first).getByRole('link').last().click()
  await waitForControls(page)
  await page.getByRole('link', { name: '複製する' }).click()
  await expect(page.getByRole('heading', { name: 'お料理の追加' })).toBeVisible()
  await expect(box(page, '品名')).toHaveValue(first)
  await expect(page.getByLabel(/^アレルギー物質を確認しました/)).not.toBeChecked()
  await expectAccessible(page)
  const copy = uniqueName('大盛り')
  await box(page, '品名').fill(copy)
  await button(page, '追加する').click()
  await expect(page.locator('article h2')).toHaveText([first, copy, second, ...titles.slice(2)])
  await expect(article(page, copy).locator('img')).toHaveAttribute('src', picture ?? '')
})

test('changes eight prices in at most 12 taps and undoes all of them at once', async ({ owner }) => {
  const page = await owner(onPhone)
  const thumb = new Thumb()
  await open(page, '/dining')
  await thumb.tap(page.getByRole('link', { name: '価格をまとめて変更' }))
  await expect(page.getByRole('heading', { name: '価格の変更' })).toBeVisible()
  const fields = page.getByRole('main').getByRole('textbox')
  const before = await fields.evaluateAll((all) => all.map((field) => (field as HTMLInputElement).value))
  for (let index = 0; index < 8; index++) {
    // The field selects its number, so that typing replaces the number.
    await thumb.tap(fields.nth(index))
    await page.keyboard.type(`${2000 + index}`)
  }
  await expectAccessible(page)
  await thumb.tap(button(page, '保存する'))
  await expect(getNotice(page, '8品の価格を保存しました。')).toBeVisible()
  expect(thumb.taps).toBeLessThanOrEqual(12)
  await expect(page.getByText('2,007円')).toBeVisible()
  await pressAndRead(page, '元に戻す', '元に戻しました。')
  await expect(page.getByText('2,007円')).toHaveCount(0)
  await open(page, '/dining/prices')
  expect(await fields.evaluateAll((all) => all.map((field) => (field as HTMLInputElement).value))).toEqual(before)
})

test('offers the number pad for a price in digits until the price is cleared', async ({ owner }) => {
  const page = await owner(onPhone)
  const [tea, sashimi] = [uniqueName('番茶'), uniqueName('お造り')]
  await createDish(page, { title: tea, price: '400' })
  await createDish(page, { title: sashimi, price: '時価' })
  await open(page, '/dining/prices')
  await expect(box(page, sashimi)).not.toHaveAttribute('inputmode')
  await expect(box(page, tea)).toHaveAttribute('inputmode', 'numeric')
  await box(page, tea).fill('')
  await expect(box(page, tea)).toHaveAttribute('inputmode', 'text')
  await box(page, tea).fill('時価')
  await expect(box(page, tea)).toHaveAttribute('inputmode', 'text')
  await button(page, '保存する').click()
  await expect(article(page, tea)).toContainText('時価')
})

test('saves no price when one price is wrong, and keeps the typed prices as a draft', async ({ owner }) => {
  const page = await owner(onPhone)
  const [tea, sake] = [uniqueName('煎茶'), uniqueName('玉乃光')]
  for (const title of [tea, sake]) await createDish(page, { title, price: '600' })
  await open(page, '/dining/prices')
  await box(page, tea).fill('６５０円')
  await box(page, sake).fill('百円')
  await box(page, sake).press('Enter')
  await expect(page.getByText('価格は円の数字で入力してください')).toBeVisible()
  await expect(box(page, sake)).toBeFocused()
  await expect(box(page, sake)).toHaveAccessibleDescription('価格は円の数字で入力してください')
  await expectAccessible(page)
  await page.evaluate(() => window.__reactRouterDataRouter?.navigate('/dining'))
  await expect(page.getByRole('alertdialog')).toContainText('入力した価格はまだ保存されていません。')
  await button(page, '離れる').click()
  await expect(article(page, tea)).toContainText('600円')
  await open(page, '/dining/prices')
  await expect(box(page, tea)).toHaveValue('６５０円')
  await expect(box(page, sake)).toHaveValue('百円')
  await box(page, sake).fill('一合 900、二合 1,700円')
  await button(page, '保存する').click()
  await expect(getNotice(page, '2品の価格を保存しました。')).toBeVisible()
  await expect(article(page, tea)).toContainText('650円')
  await expect(article(page, sake)).toContainText('二合 1,700円')
  await open(page, '/dining/prices')
  await expect(box(page, tea)).toHaveValue('650')
})

test('shows the price of another tab beside the typed price before it is replaced', async ({ owner }) => {
  const page = await owner(onPhone)
  const [mine, theirs] = [uniqueName('ひやおろし'), uniqueName('にごり酒')]
  const [id = '', other = ''] = [
    await createDish(page, { title: mine, price: '600' }),
    await createDish(page, { title: theirs, price: '700' }),
  ]
  await open(page, '/dining/prices')
  await box(page, mine).fill('650')
  const change = (id: string, title: string, price: string) =>
    post(page, `/dining/${id}/edit`, { intent: 'save', version: '1', title, price })
  await change(id, mine, '800')
  await change(other, `${theirs}（新酒）`, '900')
  await expect(box(page, `${theirs}（新酒）`)).toHaveValue('900')
  await button(page, '保存する').click()
  await expect(box(page, mine)).toBeFocused()
  await expect(box(page, mine)).toHaveValue('650')
  await expect(page.getByRole('main')).toContainText('現在の内容800')
  await expectAccessible(page)
  await button(page, '保存する').click()
  await expect(getNotice(page, '1品の価格を保存しました。')).toBeVisible()
  await expect(article(page, mine)).toContainText('650円')
  await expect(article(page, theirs)).toContainText('900円')
})

test('unfolds the times of display when they are set or wrong', async ({ owner }) => {
  const page = await owner(onPhone)
  const title = uniqueName('松茸ご飯')
  const id = await createDish(page, { title, price: '1800' })
  await open(page, `/dining/${id}/edit`)
  const summary = page.locator('summary', { hasText: '表示する期間' })
  const [from, until] = [page.getByLabel('表示の始まり'), page.getByLabel('表示の終わり')]
  await expect(from).toBeHidden()
  await summary.focus()
  await page.keyboard.press('Enter')
  await from.fill('2030-09-01T17:00')
  await until.fill('2030-09-01T16:00')
  await summary.click()
  await button(page, '保存する').click()
  await expect(page.getByText('終わりは、始まりより後にしてください')).toBeVisible()
  await expect(until).toBeFocused()
  await expectAccessible(page)
  await until.fill('2030-12-01T00:00')
  await expect(from).toBeVisible()
  await button(page, '保存する').click()
  await expect(getNotice(page, '保存しました。')).toBeVisible()
  await open(page, `/dining/${id}/edit`)
  await expect(until).toHaveValue('2030-12-01T00:00')
  await expect(from).toBeVisible()

  await from.fill('2030-10-01T00:00')
  await post(page, `/dining/${id}/edit`, {
    intent: 'save',
    version: '2',
    title,
    price: '1800',
    shownFrom: '2030-08-01T00:00',
    shownUntil: '2030-12-01T00:00',
  })
  await button(page, '保存する').click()
  await expect(page.getByText('2030-08-01 00:00')).toBeVisible()
  await page.getByLabel('ほかの方の入力を残す').check()
  await button(page, '保存する').click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await open(page, `/firestoreservice/${id}/edit`)
  await expect(from).toHaveValue('2030-08-01T00:00')
})
