import type { Page } from '@playwright/test'
import { signIn, test } from './editors.ts'
import { type Act, button, next, one, post } from './forms.ts'
import { sendsMail } from './forms-of-accounts.ts'
import { newMember } from './forms-of-circle.ts'
import { newEvent } from './forms-of-days.ts'
import { newPage } from './forms-of-pages.ts'
import { storedDrafts } from './kept-drafts.ts'
import { axe, expect, type OpenPage, open, phone, slowDown, told } from './visitors.ts'

test.slow()

const restored = (page: Page) => told(page, '前回の入力の続きを表示しています。')
const box = (page: Page, name: string) => page.getByRole('textbox', { name }).first()
const boxOfDay = (page: Page, name: string) => page.locator('#day').getByRole('textbox', { name })
// A restored draft may have opened it.
const openDetails = (page: Page, summary: string) =>
  page
    .locator('details', { has: page.getByText(summary, { exact: true }) })
    .first()
    .evaluate((details: HTMLDetailsElement) => {
      details.open = true
    })
const press = (name: string) => (page: Page) => button(page, name).click()

type LongForm = {
  name: string
  /** Makes its record; returns the path of its page. */
  path: (page: Page) => Promise<string>
  /** Unfolds the form on its page. */
  unfolds?: Act
  field: (page: Page) => ReturnType<typeof box>
  /** The other fields that must be filled in. */
  fill?: Act
  save: Act
  done: string | RegExp
}

async function newDish(page: Page) {
  const title = one('歩く皿')
  await post(page, '/dining/new/add', { intent: 'add', collection: 'dining', title, once: '' })
  await page.goto('/dining')
  const id = await page.locator('article', { hasText: title }).first().getAttribute('id')
  return `/dining/${id?.replace('card-', '')}/edit`
}

async function newMessage(page: Page) {
  await sendsMail(page)
  const number = next()
  const message = { to: 'shop', subject: one('続く便り'), text: '本文', from: 'walks@example.jp', homepage: '' }
  const form = { ...message, once: crypto.randomUUID(), shownAt: `${Date.now() - 60_000}` }
  await post(page, '/mail', form, { 'x-forwarded-for': `2001:db8:77:${number.toString(16)}::1` })
  return '/inbox'
}

const forms: LongForm[] = [
  {
    name: 'a new dish',
    path: async () => '/dining/new/add',
    field: (page) => box(page, '品名'),
    save: press('追加する'),
    done: '追加しました。',
  },
  {
    name: 'a dish',
    path: newDish,
    field: (page) => box(page, '内容'),
    save: press('保存する'),
    done: '保存しました。',
  },
  {
    name: 'a new page',
    path: async () => '/pages',
    unfolds: (page) => openDetails(page, '新しいページを作る'),
    field: (page) => box(page, 'ページの題'),
    fill: (page) => box(page, 'アドレス').fill(one('tsuzuki-').toLowerCase()),
    save: press('作って書きはじめる'),
    done: '追加しました。',
  },
  {
    name: 'a page',
    path: newPage,
    field: (page) => page.locator('[role=textbox][contenteditable]'),
    save: press('保存する'),
    done: '保存しました。',
  },
  {
    name: 'the introduction of the shop',
    path: async () => '/site',
    field: (page) => box(page, 'お店の紹介'),
    save: press('紹介とお知らせを保存する'),
    done: /^保存しました。/,
  },
  {
    name: 'a new event',
    path: async () => '/calendar?day=2041-03-03',
    field: (page) => boxOfDay(page, '内容'),
    fill: (page) => boxOfDay(page, 'タイトル').fill(one('続く催し')),
    save: press('追加する'),
    done: '予定を追加しました。',
  },
  {
    name: 'an event',
    path: async (page) => (await newEvent(page)).path,
    unfolds: press('編集する'),
    field: (page) => page.getByRole('dialog').getByRole('textbox', { name: '内容' }),
    save: press('保存する'),
    done: '予定を保存しました。',
  },
  {
    name: 'a reply',
    path: newMessage,
    unfolds: (page) => openDetails(page, '返事を書く'),
    field: (page) => box(page, 'お返事'),
    save: press('返事を送る'),
    done: 'お返事をお預かりしました。',
  },
]

/** Opens the form of a path, and its folded part. */
async function openForm(page: Page, path: string, { unfolds }: LongForm) {
  await open(page, path)
  await unfolds?.(page)
}

/** Types into a form that is open, and waits until the browser has stored it. */
async function type(page: Page, form: LongForm, text: string) {
  await form.field(page).fill(text)
  await expect.poll(() => storedDrafts(page)).toContain(text)
}

const textOf = async (page: Page, form: LongForm) => {
  const field = form.field(page)
  const isEditable = (await field.getAttribute('contenteditable')) !== null
  return isEditable ? field.innerText() : field.inputValue()
}

for (const form of forms) {
  test(`${form.name}: shows the input again when its tab has died on a slow phone, until it is thrown away`, async ({
    owner,
  }) => {
    const page = await owner({ viewport: phone })
    const context = page.context()
    await open(page, '/pages')
    const path = await form.path(page)
    await slowDown(page)
    await openForm(page, path, form)
    const before = await textOf(page, form)
    const text = one('書きかけの文章')
    await type(page, form, text)
    await page.close()

    const again = await context.newPage()
    await openForm(again, path, form)
    await expect(restored(again)).toBeVisible()
    await expect.poll(() => textOf(again, form)).toBe(text)
    await axe(again)
    await restored(again).getByRole('button', { name: '捨てる' }).click()
    await expect(restored(again)).toHaveCount(0)
    await expect.poll(() => storedDrafts(again)).toBe('[]')
    await openForm(again, path, form)
    await expect.poll(() => textOf(again, form)).toBe(before)
    await expect(restored(again)).toHaveCount(0)
  })

  test(`${form.name}: does not show the input to another account, and removes it once it is saved`, async ({
    owner,
  }) => {
    const page = await owner()
    await open(page, '/pages')
    const path = await form.path(page)
    await openForm(page, path, form)
    const before = await textOf(page, form)
    const text = one('だれかの書きかけ')
    await type(page, form, text)
    page.on('dialog', (dialog) => dialog.accept())

    await signIn('owner2', page, page.url())
    await openForm(page, path, form)
    await expect.poll(() => textOf(page, form)).toBe(before)
    await expect(restored(page)).toHaveCount(0)

    await signIn('owner', page, page.url())
    await openForm(page, path, form)
    await expect.poll(() => textOf(page, form)).toBe(text)
    await form.fill?.(page)
    await form.save(page)
    await expect(told(page, form.done).first()).toBeVisible()
    await expect.poll(() => storedDrafts(page)).toBe('[]')
  })
}

/** Another administrator, on another device. */
async function opensAsOther(openPage: OpenPage, page: Page) {
  const other = await openPage()
  await signIn('owner2', other, page.url())
  return other
}

const isSaveOfSite = ({ pathname }: URL) => pathname === '/site.data'
const introduction = forms.find(({ name }) => name === 'the introduction of the shop') as LongForm

test('a restored draft merges with a later save of other fields, and conflicts in the same field', async ({
  owner,
  openPage,
}) => {
  const page = await owner()
  const context = page.context()
  await open(page, '/site')
  const other = await opensAsOther(openPage, page)
  await type(page, introduction, 'わたしの紹介')
  await page.close()
  await open(other, '/site')
  await box(other, 'お知らせ').fill('ほかの方のお知らせ')
  await introduction.save(other)
  await expect(told(other, introduction.done)).toBeVisible()

  const again = await context.newPage()
  await open(again, '/site')
  await expect(box(again, 'お店の紹介')).toHaveValue('わたしの紹介')
  await introduction.save(again)
  await expect(told(again, introduction.done)).toBeVisible()
  await open(again, '/site')
  await expect(box(again, 'お知らせ')).toHaveValue('ほかの方のお知らせ')
  await expect(box(again, 'お店の紹介')).toHaveValue('わたしの紹介')

  await type(again, introduction, 'わたしの新しい紹介')
  await again.close()
  await open(other, '/site')
  await box(other, 'お店の紹介').fill('ほかの方の紹介')
  await introduction.save(other)
  await expect(told(other, introduction.done)).toBeVisible()
  const last = await context.newPage()
  await open(last, '/site')
  await expect(box(last, 'お店の紹介')).toHaveValue('わたしの新しい紹介')
  const conflict = 'ほかの方が先に、同じところを変えて保存しました。'
  await introduction.save(last)
  await expect(told(last, conflict)).toBeVisible()
  // The editor has not agreed to overwrite it when the tab dies now.
  await type(last, introduction, 'わたしの新しい紹介文')
  await last.close()
  const after = await context.newPage()
  await open(after, '/site')
  await expect(box(after, 'お店の紹介')).toHaveValue('わたしの新しい紹介文')
  await introduction.save(after)
  await expect(told(after, conflict)).toBeVisible()
  await open(other, '/site')
  await expect(box(other, 'お店の紹介')).toHaveValue('ほかの方の紹介')
})

test('keeps what is typed while the save before it is on its way', async ({ owner }) => {
  const page = await owner()
  await open(page, '/site')
  await type(page, introduction, one('はじめの紹介'))
  const onItsWay = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  await page.route(isSaveOfSite, async (route) => {
    onItsWay.resolve()
    await answer.promise
    await route.continue()
  })
  await introduction.save(page)
  await onItsWay.promise
  const later = one('あとの紹介')
  await type(page, introduction, later)
  answer.resolve()
  await expect(told(page, introduction.done)).toBeVisible()
  await expect(introduction.field(page)).toHaveValue(later)
  await page.unroute(isSaveOfSite)
  await open(page, '/site')
  await expect(introduction.field(page)).toHaveValue(later)
  await introduction.save(page)
  await expect(told(page, introduction.done)).toBeVisible()
  await expect.poll(() => storedDrafts(page)).not.toContain(later)
  await open(page, '/site')
  await expect(introduction.field(page)).toHaveValue(later)
})

test('a restored draft of an event conflicts with a later save of another person', async ({ owner, openPage }) => {
  const page = await owner()
  const context = page.context()
  await open(page, '/pages')
  const other = await opensAsOther(openPage, page)
  const form = forms.find(({ name }) => name === 'an event') as LongForm
  const path = await form.path(page)
  await openForm(page, path, form)
  await type(page, form, 'わたしの内容')
  await page.close()
  await openForm(other, path, form)
  await form.field(other).fill('ほかの方の内容')
  await form.save(other)
  await expect(told(other, form.done)).toBeVisible()
  const again = await context.newPage()
  await openForm(again, path, form)
  await expect(form.field(again)).toHaveValue('わたしの内容')
  await form.save(again)
  await expect(told(again, 'ほかの方が先に保存しました。')).toContainText('ほかの方の内容')
  await openForm(other, path, form)
  await expect(form.field(other)).toHaveValue('ほかの方の内容')
})

test('every section of the shop restores its texts, its ticks, its colours and its links', async ({ owner }) => {
  const page = await owner()
  const context = page.context()
  await open(page, '/site')
  const fields = (of: Page) => ({
    name: box(of, '店名'),
    colour: of.getByRole('radio').nth(2),
    parking: box(of, '駐車場'),
    link: of.getByLabel('1つめの名前'),
    recipient: of.locator('[name="recipientNames.shop"]'),
    tick: of.getByRole('checkbox').first(),
  })
  const { tick, colour, ...texts } = fields(page)
  for (const field of Object.values(texts)) await field.fill('書きかけ')
  await colour.check()
  const wasTicked = await tick.isChecked()
  await tick.click()
  await expect.poll(async () => JSON.parse((await storedDrafts(page)) || '[]').length).toBe(5)
  await page.close()
  const again = await context.newPage()
  await open(again, '/site')
  await expect(restored(again)).toHaveCount(5)
  const { tick: tickAgain, colour: colourAgain, ...textsAgain } = fields(again)
  for (const field of Object.values(textsAgain)) await expect(field).toHaveValue('書きかけ')
  await expect(colourAgain).toBeChecked()
  await expect(tickAgain).toBeChecked({ checked: !wasTicked })
})

test('putting an earlier state back removes the draft', async ({ owner }) => {
  const page = await owner()
  await open(page, '/pages')
  await open(page, await newPage(page))
  const version = page.locator('input[name=version]').first()
  const first = await version.inputValue()
  await box(page, 'ページの題').fill('はじめの版')
  await button(page, '保存する').click()
  await expect(told(page, '保存しました。')).toBeVisible()
  // The fields are replaced with the saved ones.
  await expect(version).not.toHaveValue(first)
  await box(page, 'ページの題').fill('書きかけの版')
  await expect.poll(() => storedDrafts(page)).toContain('書きかけの版')
  await page.getByText('これまでの変更', { exact: true }).click()
  await button(page, /^この時点に戻す/).click()
  await expect(told(page, /戻しました。/).first()).toBeVisible()
  await expect(box(page, 'ページの題')).not.toHaveValue('書きかけの版')
  await expect.poll(() => storedDrafts(page)).toBe('[]')
})

test('a tab that saves leaves the later input of another tab stored', async ({ owner }) => {
  const page = await owner()
  const context = page.context()
  await open(page, '/site')
  const other = await context.newPage()
  await open(other, '/site')
  await type(page, introduction, '先のタブの紹介')
  await type(other, introduction, '後のタブの紹介')
  await page.bringToFront()
  await introduction.save(page)
  await expect(told(page, introduction.done)).toBeVisible()
  await other.close()
  await open(page, '/site')
  await expect(box(page, 'お店の紹介')).toHaveValue('後のタブの紹介')
  await expect(restored(page)).toBeVisible()
})

test('removes a draft after thirty days', async ({ owner }) => {
  const page = await owner()
  await open(page, '/site')
  await type(page, introduction, '古い書きかけ')
  const context = page.context()
  await page.close()
  const again = await context.newPage()
  await again.clock.setFixedTime(Date.now() + 31 * 24 * 60 * 60 * 1000)
  await open(again, '/site')
  await expect.poll(() => storedDrafts(again)).toBe('[]')
  await expect(box(again, 'お店の紹介')).not.toHaveValue('古い書きかけ')
  await expect(restored(again)).toHaveCount(0)
})

test('a browser that stores nothing for the site still saves', async ({ owner }) => {
  const page = await owner()
  await page.addInitScript(() => {
    Object.defineProperty(window, 'indexedDB', {
      get() {
        throw new DOMException('forbidden', 'SecurityError')
      },
    })
  })
  await open(page, '/site')
  await box(page, 'お店の紹介').fill('しまわない紹介')
  await introduction.save(page)
  await expect(told(page, introduction.done)).toBeVisible()
})

test('a step of the member form shows the input of a field that was never left', async ({ owner }) => {
  const page = await owner()
  const context = page.context()
  await open(page, '/pages')
  const name = await newMember(page)
  await open(page, '/memberlist')
  const article = page.getByRole('article', { name })
  const id = await article.locator('input[name=member]').first().inputValue()
  await open(page, `/membercreate/${id}`)
  const isKept = page.waitForResponse((response) => response.request().postData()?.includes('keep') ?? false)
  await page.getByLabel('自己紹介').fill('打ちかけの紹介')
  await isKept
  await page.close()
  const again = await context.newPage()
  await open(again, `/membercreate/${id}`)
  await expect(again.getByLabel('自己紹介')).toHaveValue('打ちかけの紹介')
})

test.describe('the contact form', () => {
  const fill = async (page: Page) => {
    await page.getByLabel('宛先').selectOption({ index: 1 })
    await page.getByLabel('件名').fill('席のご相談')
    await page.getByLabel('本文').fill('土曜日に五名で')
  }
  const expectInput = async (page: Page) => {
    await expect(restored(page)).toBeVisible()
    await expect(page.getByLabel('宛先')).not.toHaveValue('')
    await expect(page.getByLabel('件名')).toHaveValue('席のご相談')
    await expect(page.getByLabel('本文')).toHaveValue('土曜日に五名で')
  }

  test('keeps a message through a reload, a link and Back, and removes it once it is sent', async ({ owner }) => {
    const page = await owner({ viewport: phone })
    await page.context().clearCookies()
    await open(page, '/mail')
    await fill(page)
    await page.reload()
    await expectInput(page)
    await page.getByRole('contentinfo').getByRole('link', { name: 'プライバシーについて' }).click()
    await expect(page).not.toHaveURL(/\/mail/)
    await page.goBack()
    await expectInput(page)
    await axe(page)
    await page.goto('/dining')
    await open(page, '/mail')
    await expectInput(page)
    await page.getByRole('button', { name: '送信する' }).click()
    await expect(page).toHaveURL(/\/mail\?sent/)
    await open(page, '/mail')
    await expect(page.getByLabel('本文')).toHaveValue('')
    await expect(restored(page)).toHaveCount(0)
  })

  test('removes a message that is thrown away, and shows none in another tab of the device', async ({ owner }) => {
    const page = await owner()
    await page.context().clearCookies()
    await open(page, '/mail')
    await fill(page)
    const other = await page.context().newPage()
    await open(other, '/mail')
    await expect(other.getByLabel('本文')).toHaveValue('')
    expect(await storedDrafts(other)).toBe('')
    await page.reload()
    await expectInput(page)
    await restored(page).getByRole('button', { name: '捨てる' }).click()
    await expect(page.getByLabel('本文')).toHaveValue('')
    await page.reload()
    await expect(page.getByLabel('本文')).toHaveValue('')
    await expect(restored(page)).toHaveCount(0)
  })

  test('removes the message of an account with signing out', async ({ owner }) => {
    const page = await owner()
    await open(page, '/mail')
    await fill(page)
    await page.reload()
    await expectInput(page)
    await page.locator('header').getByRole('button', { name: 'ログアウト' }).click()
    await page.waitForURL('**/home')
    expect(await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft')))).toEqual([])
  })

  test('asks before a message is left that the browser could not store', async ({ owner }) => {
    const page = await owner()
    await page.context().clearCookies()
    await page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
    })
    await open(page, '/mail')
    await fill(page)
    await page.getByRole('contentinfo').getByRole('link', { name: 'プライバシーについて' }).click()
    const question = page.getByRole('alertdialog', { name: /まだ送信されていません/ })
    await question.getByRole('button', { name: 'やめる' }).click()
    await expect(page.getByLabel('本文')).toHaveValue('土曜日に五名で')
    await page.getByRole('button', { name: '送信する' }).click()
    await expect(page).toHaveURL(/\/mail\?sent/)
  })
})
