import { test } from './editors.ts'
import { post, uniqueName } from './forms.ts'
import { storedDrafts } from './kept-drafts.ts'
import { introduction } from './long-forms.ts'
import { openWithoutScripts } from './open-without-scripts.ts'
import { photograph } from './photograph.ts'
import { expect, fillIn, open } from './visitors.ts'

// React renders a page again if its markup differs, and logs an error.
const RENDERED_AGAIN = /Minified React error #418/
const ICON = '<div data-x-icon-root=""></div>'

for (const [pageName, beside] of [
  ['a page', ''],
  ['a page with an element of a password manager beside each field', ICON],
] as const) {
  test.describe(`hydration of ${pageName}`, () => {
    test.use({ expectedErrors: beside ? [RENDERED_AGAIN] : [] })

    test('keeps the input, the focus and the caret of the sign-in form', async ({ page }) => {
      const hydrate = await openWithoutScripts(page, '/emaillogin', beside)
      const [email, secret] = [page.getByLabel('メールアドレス'), page.getByLabel('パスワード', { exact: true })]
      await email.fill('hanako@example.jp')
      await secret.pressSequentially('toss-9')
      await secret.press('ArrowLeft')
      await hydrate()
      await expect(email).toHaveValue('hanako@example.jp')
      await expect(secret).toHaveValue('toss-9')
      await expect(secret).toBeFocused()
      await page.keyboard.type('high-')
      await expect(secret).toHaveValue('toss-high-9')
    })

    test('keeps and sends the input of the contact form', async ({ page }) => {
      const hydrate = await openWithoutScripts(page, '/mail', beside)
      await page.getByLabel('宛先').selectOption('お店')
      await fillIn(page, { 件名: '席のご相談', 本文: '来週の土曜日に、\n五名で伺えますか。' })
      await page.getByLabel('返信先のメールアドレス').fill('hana@example.jp')
      await hydrate()
      await expect(page.getByLabel('返信先のメールアドレス')).toHaveValue('hana@example.jp')
      const sending = page.waitForRequest((request) => request.method() === 'POST')
      await page.getByRole('button', { name: '送信する' }).click()
      const sent = Object.fromEntries(new URLSearchParams((await sending).postData() ?? ''))
      expect(sent).toMatchObject({
        subject: '席のご相談',
        text: '来週の土曜日に、\n五名で伺えますか。',
        from: 'hana@example.jp',
      })
      expect(sent.to).not.toBe('')
    })

    test('keeps the checked boxes and the date of a card form, and limits the day options to the month', async ({
      owner,
    }) => {
      const page = await owner()
      const hydrate = await openWithoutScripts(page, '/firestoreservice?databasename=videoproduction', beside)
      const part = (name: string) => page.locator(`[name=eventDay${name}]`)
      await page.getByRole('checkbox', { name: /下書き/ }).check()
      await part('Year').selectOption('2026')
      await part('Month').selectOption('2')
      await part('Day').selectOption('14')
      await hydrate()
      // The first input renders the form again.
      await page.getByLabel('タイトル').fill('鯖寿司の一日')
      await expect(page.getByRole('checkbox', { name: /下書き/ })).toBeChecked()
      await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(1)
      await expect(part('Year')).toHaveValue('2026')
      await expect(part('Month')).toHaveValue('2')
      await expect(part('Day')).toHaveValue('14')
      await expect(part('Day').getByRole('option', { name: '28', exact: true })).toHaveCount(1)
      await expect(part('Day').getByRole('option', { name: '29', exact: true })).toHaveCount(0)
    })

    test('opens the crop dialog for a chosen file and keeps the checked boxes', async ({ owner }) => {
      const page = await owner()
      const hydrate = await openWithoutScripts(page, '/firestoreservice?databasename=dining', beside)
      await page.getByLabel('品名').fill('鯖寿司')
      await page.getByRole('checkbox', { name: '卵' }).check()
      await page.getByRole('checkbox', { name: /下書き/ }).check()
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles(await photograph())
      await hydrate()
      await expect(page.getByRole('dialog', { name: '写真を切り抜く' })).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(page.getByLabel('品名')).toHaveValue('鯖寿司')
      await expect(page.getByRole('checkbox', { name: '卵' })).toBeChecked()
      await expect(page.getByRole('checkbox', { name: /下書き/ })).toBeChecked()
      await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(2)
    })
  })
}

test('keeps the date of a special day that was chosen before the scripts ran', async ({ owner }) => {
  const page = await owner()
  const hydrate = await openWithoutScripts(page, '/bussinessdays?table=special')
  const part = (name: string) => page.locator(`[name=first${name}]`)
  await part('Year').selectOption('2031')
  await part('Month').selectOption('3')
  await part('Day').selectOption('28')
  await hydrate()
  // The choice renders the form again.
  await page.getByLabel('理由', { exact: true }).selectOption({ index: 1 })
  await expect(part('Year')).toHaveValue('2031')
  await expect(part('Month')).toHaveValue('3')
  await expect(part('Day')).toHaveValue('28')
})

test('keeps the prices that were typed before the scripts ran', async ({ owner }) => {
  const page = await owner()
  const dishes = [uniqueName('煎茶'), uniqueName('玉乃光'), uniqueName('刺身')]
  await page.goto('/api/health')
  for (const title of dishes) await post(page, '/dining/new/add', { intent: 'add', title, price: '600' })
  const hydrate = await openWithoutScripts(page, '/dining/prices')
  const price = (index: number) => page.getByLabel(dishes[index] ?? '')
  await price(0).fill('650')
  await price(1).fill('900')
  await hydrate()
  await price(2).fill('1800')
  await expect(price(0)).toHaveValue('650')
  await expect(price(1)).toHaveValue('900')
})

test('keeps a text that was changed before the scripts ran', async ({ owner }) => {
  const page = await owner()
  const hydrate = await openWithoutScripts(page, '/site')
  await expect(introduction.field(page)).not.toHaveValue('')
  await introduction.field(page).fill('早く打った紹介')
  await hydrate()
  await expect(introduction.field(page)).toHaveValue('早く打った紹介')
  await expect.poll(() => storedDrafts(page)).toContain('早く打った紹介')
})

test('keeps the text that was typed before the scripts ran instead of a stored draft', async ({ owner }) => {
  const page = await owner()
  const title = page.getByLabel('タイトル')
  await open(page, '/firestoreservice?databasename=videoproduction')
  await title.fill('前の題')
  await expect.poll(() => storedDrafts(page)).toContain('前の題')
  const hydrate = await openWithoutScripts(page, '/firestoreservice?databasename=videoproduction')
  await title.fill('新しい題')
  await hydrate()
  await expect.poll(() => storedDrafts(page)).toContain('新しい題')
  await expect(title).toHaveValue('新しい題')
})

test('opens a form without a hydration error when its collection is only in the navigation state', async ({
  owner,
}) => {
  const page = await owner()
  // Sets the state before the scripts of the page start. A reload after them could lose it.
  await page.addInitScript(() => history.replaceState({ usr: { databasename: 'dining' }, key: 'reloaded', idx: 0 }, ''))
  await page.goto('/firestoreservice')
  await expect(page).toHaveURL('/firestoreservice?databasename=dining')
  await expect(page.getByLabel('品名')).toBeVisible()
})
