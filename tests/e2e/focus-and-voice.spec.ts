import type { Locator, Page } from '@playwright/test'
import { returningTest as test } from './editors.ts'
import { createCard } from './forms-of-cards.ts'
import { createMember } from './forms-of-circle.ts'
import { createEvent } from './forms-of-days.ts'
import { createPage } from './forms-of-pages.ts'
import { createAccountsWithoutRole, createStaffMember } from './forms-of-staff.ts'
import { photograph } from './photograph.ts'
import {
  clearAnnouncements,
  desktop,
  expect,
  fillIn,
  findComponentFiles,
  getAnnouncements,
  open,
  phone,
} from './visitors.ts'

test.slow()

type Find = (page: Page) => Locator
type Dialog = {
  /** The source file of the dialog. */
  file: string
  name: string
  /** The visitor, by default the owner. */
  visitor?: 'guest' | 'signedin'
  path: string | ((page: Page) => Promise<string>)
  /** Prepares the page. Opens the dialog if there is no `opener`. */
  prepare?: (page: Page) => Promise<unknown>
  opener?: Find
  text: string | RegExp
  /** The label of the closing control, by default 閉じる. `back`: whether the Back button also closes the dialog. */
  closeLabel?: string
  back?: boolean
  /** The announcement after closing, if there is one. `focusAfter`: the focused element, by default the opener. */
  announcement?: string | RegExp
  focusAfter?: Find
  /** The control that confirms or submits, with its announcement and the element that is focused afterwards. */
  confirm?: { press: string; announcement?: string | RegExp; focus: Find }
  /** Whether the dialog looks different on a desktop. */
  isWide?: boolean
}

const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).last()
const link = (name: string | RegExp) => (page: Page) => page.getByRole('link', { name }).last()
const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first()
const main: Find = (page) => page.locator('#main')
const title: Find = (page) => page.getByLabel(/^(?:タイトル|品名)/)
const file: Find = (page) => page.locator('input[type=file]')
const getTopDialog: Find = (page) => page.locator('dialog:modal').last()
const getInDialog = (page: Page, name: string) =>
  getTopDialog(page).getByRole('button', { name }).or(getTopDialog(page).getByRole('link', { name }))

const cardForm = async (page: Page) => `/firestoreservice/${await createCard(page, 'vbacreate')}/edit`
const eventAlone = async (page: Page) => (await createEvent(page)).path
const deletion = { text: /を本当に削除しますか/, closeLabel: 'やめる' }
const unsavedChanges = { text: /まだ保存されていません。この画面を閉じますか/, closeLabel: 'やめる' }
let dish = ''
const pencil: Find = (page) => page.locator(`a[href="/dining/${dish}/edit"]`)
const createDish = async (page: Page) => {
  dish = await createCard(page, 'dining')
  return '/dining'
}
const typeInDish = async (page: Page) => {
  await pencil(page).press('Enter')
  await title(page).fill('書きかけ')
}
let member = ''

const dialogs: Dialog[] = [
  {
    file: 'shop/dish-sheet-page.tsx',
    name: 'the form of a new dish',
    path: '/dining',
    opener: link('料理を追加'),
    text: 'お料理の追加',
    back: true,
    isWide: true,
  },
  {
    file: 'shop/dish-sheet-page.tsx',
    name: 'the form of a dish',
    path: createDish,
    opener: pencil,
    text: 'お料理の編集',
    back: true,
    isWide: true,
  },
  {
    file: 'media/crop-dialog.tsx',
    name: 'the crop dialog',
    path: cardForm,
    // The file field has no focus before, because Safari does not focus a label when the label is pressed.
    prepare: async (page) => file(page).setInputFiles(await photograph()),
    text: '写真を切り抜く',
    closeLabel: 'やめる',
    focusAfter: file,
    confirm: { press: 'この写真を使う', announcement: '写真を追加しました。', focus: file },
  },
  {
    file: 'cards/card-form.tsx',
    name: 'the confirmation before a card is deleted',
    path: cardForm,
    opener: button('削除する'),
    ...deletion,
    confirm: { press: '削除する', announcement: '削除しました。', focus: main },
  },
  {
    file: 'cards/card-form.tsx',
    name: 'the confirmation before a dish is deleted',
    path: createDish,
    prepare: (page) => pencil(page).press('Enter'),
    opener: button('削除する'),
    ...deletion,
    confirm: { press: '削除する', announcement: '削除しました。', focus: heading('お料理') },
  },
  {
    file: 'forms/unsaved-changes-prompt.tsx',
    name: 'the unsaved-changes prompt of a card',
    path: cardForm,
    prepare: (page) => title(page).fill('書きかけ'),
    opener: link('閉じる'),
    ...unsavedChanges,
    confirm: { press: '閉じる', announcement: 'VBAのご紹介', focus: main },
  },
  {
    file: 'forms/unsaved-changes-prompt.tsx',
    name: 'the unsaved-changes prompt of a dish',
    path: createDish,
    prepare: typeInDish,
    opener: button('閉じる'),
    ...unsavedChanges,
    confirm: { press: '閉じる', focus: pencil },
  },
  {
    file: 'forms/unsaved-changes-prompt.tsx',
    name: 'the unsaved-changes prompt of the site settings',
    path: '/site',
    prepare: (page) => page.getByLabel('お席').fill('書きかけ'),
    opener: link('受信箱'),
    text: '「ご案内」に、まだ保存していないところがあります。この画面を離れますか？',
    closeLabel: 'やめる',
    confirm: { press: '離れる', announcement: '受信箱', focus: main },
  },
  {
    file: 'staff/staff-person.tsx',
    name: 'the confirmation before a staff member is removed',
    path: createStaffMember,
    opener: button(/^店の歩.* さん：スタッフから外す$/),
    text: /^店の歩.* さんをスタッフから外しますか？$/,
    closeLabel: 'やめる',
    confirm: { press: '外す', announcement: /さんをスタッフから外しました。/, focus: heading('スタッフ') },
  },
  {
    file: 'staff/accounts-without-role.tsx',
    name: 'the confirmation before an account without a role is removed',
    path: createAccountsWithoutRole,
    opener: button(/ さん：アカウントを削除する$/),
    text: / さんのアカウントを削除しますか？$/,
    closeLabel: 'やめる',
    confirm: {
      press: '削除する',
      announcement: /さんのアカウントを削除しました。/,
      focus: heading('権限のないアカウント'),
    },
  },
  {
    file: 'shop/slides-editor.tsx',
    name: 'the confirmation before a slide is deleted',
    path: '/',
    opener: button(/^「.+」を削除$/),
    ...deletion,
    confirm: { press: '削除する', announcement: '削除しました。', focus: heading('スライドの編集') },
  },
  {
    file: 'calendar/event-dialog.tsx',
    name: 'an event',
    path: async (page) => {
      const { event } = await createEvent(page)
      return `/calendar?month=${event.day.slice(0, 7)}&day=${event.day}`
    },
    opener: link(/終日 歩く催し/),
    text: /^歩く催し/,
    back: true,
  },
  {
    file: 'calendar/event-dialog.tsx',
    name: 'the confirmation before an event is deleted',
    path: eventAlone,
    opener: button('削除する'),
    text: /のイベントを削除しますか/,
    closeLabel: 'やめる',
  },
  {
    file: 'calendar/calendar-page.tsx',
    name: 'the alert that an event is deleted',
    path: eventAlone,
    prepare: async (page) => {
      await getInDialog(page, '削除する').click()
      await page.getByRole('alertdialog').getByRole('button', { name: '削除する' }).click()
    },
    text: 'イベントを削除しました',
    announcement: 'イベントを削除しました',
    focusAfter: heading(/^\d+年\d+月$/),
  },
  {
    file: 'calendar/year-picker.tsx',
    name: 'the year picker',
    visitor: 'guest',
    path: '/calendar?month=2026-11',
    opener: link('年を選ぶ'),
    text: '年を選ぶ',
    back: true,
    confirm: { press: '2031年', announcement: '2031年11月', focus: link('年を選ぶ') },
  },
  {
    file: 'circle/member-card.tsx',
    name: 'the confirmation before a member is deleted',
    path: async (page) => {
      member = await createMember(page)
      return '/memberlist'
    },
    prepare: (page) => page.getByRole('article', { name: member }).locator('summary').click(),
    opener: (page) => page.getByRole('button', { name: `${member} さん：削除する` }),
    ...deletion,
    confirm: { press: '削除する', announcement: /さんを削除しました。/, focus: heading(/^メンバー \d+名/) },
  },
  {
    file: 'members/member-step-form.tsx',
    name: 'the alert that an account name is taken',
    path: '/membercreate/applicant',
    prepare: async (page) => {
      for (const field of await page.getByRole('main').getByRole('textbox').all()) await field.fill('a@example.jp')
      await page.getByLabel('アカウント名').fill('桜井 花')
    },
    opener: button('次へ'),
    text: /そのアカウント名は既に存在します/,
    focusAfter: (page) => page.getByLabel('アカウント名'),
  },
  {
    file: 'circle/member-list-page.tsx',
    name: 'the alert for the first member',
    path: '/privacy',
    // Navigates in the client, as after a registration.
    prepare: (page) =>
      page.evaluate(() => {
        history.pushState({}, '', '/memberlist?done=first')
        dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
      }),
    text: '最初の登録者のため、管理者権限を付与しました',
    focusAfter: main,
  },
  {
    file: 'members/member-confirm-page.tsx',
    name: 'the alert for a signed-out user',
    path: async (page) => {
      await createMember(page, { registered: false })
      return '/memberdetailconfirm?for=nonmember'
    },
    prepare: (page) => page.context().clearCookies({ name: 'as' }),
    opener: button('上記の内容で登録する'),
    text: 'ログインしてから入力してください',
    announcement: '会員ログイン',
    focusAfter: main,
  },
  {
    file: 'pages/page-deleting.tsx',
    name: 'the confirmation before a page is deleted',
    path: createPage,
    opener: button('このページを削除する'),
    ...deletion,
    confirm: { press: '削除する', announcement: '削除しました。', focus: main },
  },
  {
    file: 'pages/text-dialogs.tsx',
    name: 'the link dialog of the text editor',
    path: createPage,
    opener: (page) => page.getByRole('button', { name: 'リンク', exact: true }),
    text: 'リンク',
    closeLabel: 'やめる',
  },
  {
    file: 'accounts/signed-in-page.tsx',
    name: 'the alert after sign-up',
    visitor: 'signedin',
    path: '/login/welcome',
    text: '先にメンバー情報を登録してください',
    focusAfter: heading('ようこそ'),
    confirm: { press: 'メンバー登録へ進む', announcement: 'メンバー登録', focus: main },
  },
]

test('covers every dialog of the site', () => {
  const filesWithDialogs = findComponentFiles(/<(?:Dialog|Confirm|Alert)\b/)
  expect([...new Set([...dialogs.map((dialog) => dialog.file), 'ui/dialog.tsx'])].sort()).toEqual(filesWithDialogs)
})

for (const dialog of dialogs) {
  const {
    visitor = 'owner',
    path,
    prepare,
    opener,
    text,
    closeLabel = '閉じる',
    back,
    announcement,
    focusAfter = opener ?? main,
    confirm,
    isWide,
  } = dialog
  const closingActions = ['Escape', closeLabel, ...(back ? ['Back'] : []), ...(confirm ? ['yes'] : [])]

  test(`${dialog.file}: ${dialog.name} traps the focus, and restores the previous focus on closing`, async ({
    page,
    context,
    site: url,
  }) => {
    // Without live updates, the page does not notice the sign-out.
    await context.addCookies([{ name: 'live', value: 'no', url }])
    await page.goto('/api/health')
    for (const closingAction of closingActions) {
      await page.setViewportSize(isWide && closingAction === closeLabel ? desktop : phone)
      if (!opener || !(await opener(page).isVisible())) {
        if (visitor !== 'guest') await context.addCookies([{ name: 'as', value: visitor, url }])
        await open(page, typeof path === 'string' ? path : await path(page))
        await prepare?.(page)
      }
      await opener?.(page).press('Enter')
      await expect(getTopDialog(page)).toHaveAccessibleName(text)
      await expect(getTopDialog(page)).toBeInViewport({ ratio: 1 })
      await expect.poll(() => getFocusLocation(page)).toBe('dialog')
      const openDialogs = await page.locator('dialog:modal').count()
      if (closingAction === 'Escape') await expectFocusTrap(page)
      await clearAnnouncements(page)

      if (closingAction === 'Back') await page.goBack()
      else if (closingAction === 'Escape') await page.keyboard.press('Escape')
      else await getInDialog(page, closingAction === 'yes' ? (confirm?.press ?? '') : closingAction).press('Enter')
      await expect(
        closingAction === 'yes' && confirm ? confirm.focus(page) : focusAfter(page),
        closingAction,
      ).toBeFocused()
      if (closingAction !== 'yes')
        await expect(page.locator('dialog:modal'), closingAction).toHaveCount(openDialogs - 1)
      const expectedAnnouncement = closingAction === 'yes' ? confirm?.announcement : announcement
      await expect(
        expectedAnnouncement
          ? getAnnouncements(page).filter({ hasText: expectedAnnouncement })
          : getAnnouncements(page),
        closingAction,
      ).toHaveCount(expectedAnnouncement ? 1 : 0)
    }
  })
}

test('closes one dialog for each Escape, but no dialog during IME composition', async ({
  page,
  context,
  site: url,
}) => {
  await context.addCookies([{ name: 'as', value: 'owner', url }])
  await page.goto('/api/health')
  await open(page, await createDish(page))
  await typeInDish(page)
  const keyboard = await context.newCDPSession(page)
  await keyboard.send('Input.imeSetComposition', { text: 'さば', selectionStart: 2, selectionEnd: 2 })
  await page.keyboard.press('Escape')
  await keyboard.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 })
  await expect(getTopDialog(page)).toHaveAccessibleName('お料理の編集')
  // Browsers force a dialog to close if Escape is prevented twice without another user action.
  for (const name of Array.from({ length: 4 }, () => [unsavedChanges.text, 'お料理の編集']).flat()) {
    await page.keyboard.press('Escape')
    await expect(getTopDialog(page)).toHaveAccessibleName(name)
    await expect(getTopDialog(page)).toBeInViewport({ ratio: 1 })
    expect(await getFocusLocation(page)).toBe('dialog')
  }
})

test('announces the title of each linked page once and focuses its content', async ({ page }) => {
  await open(page, '/privacy')
  const links = await page
    .locator('header a[href^="/"], footer a[href^="/"]')
    .evaluateAll((found) => found.map((each) => each.getAttribute('href') ?? ''))
  for (const screen of [phone, desktop]) {
    // Chromium logs an error if the viewport changes size while a page fades in.
    await open(page, '/privacy')
    await page.setViewportSize(screen)
    for (const linkPath of screen === phone ? links.slice(0, 8) : links.slice(8)) {
      await page.evaluate((href) => document.querySelector<HTMLElement>(`a[href="${href}"]`)?.click(), linkPath)
      if (new URL(page.url()).pathname === linkPath) continue
      await expect(page).toHaveURL(linkPath)
      await expect(main(page), linkPath).toBeFocused()
      await expect(getAnnouncements(page).filter({ hasText: await page.title() }), linkPath).toHaveCount(1)
    }
  }
})

test('gives every group of fields in a form an accessible name', async ({ page, context, site: url }) => {
  await context.addCookies([{ name: 'as', value: 'owner', url }])
  await page.goto('/api/health')
  const { path } = await createEvent(page)
  const forms = ['/firestoreservice?databasename=dining', '/firestoreservice?databasename=vbacreate', '/bussinessdays']
  for (const form of [...forms, '/bussinessdays?by=day', '/bussinessdays?table=special', '/calendar', `${path}&edit`]) {
    await open(page, form)
    const groups = page.locator('fieldset:not([role=none]):visible')
    for (const group of await groups.all()) await expect(group, form).toHaveAccessibleName(/./)
  }
})

test('announces two paragraphs of a notice as two sentences', async ({ page }) => {
  await open(page, '/mail')
  await clearAnnouncements(page)
  await page.getByLabel('宛先').selectOption({ index: 1 })
  await fillIn(page, { 件名: 'お席のこと', 本文: '窓ぎわの席はありますか。' })
  await page.getByRole('button', { name: '送信する' }).click()
  await expect(
    getAnnouncements(page).filter({ hasText: '送信しました。お問い合わせありがとうございます。' }),
  ).toHaveCount(1)
})

const [ink, paper, gold, night] = ['rgb(33, 31, 28)', 'rgb(255, 253, 248)', 'rgb(177, 144, 74)', 'rgb(21, 24, 29)']
const backgrounds: [on: string, path: string, outside: string, inside: string, find: Find][] = [
  ['paper', '/dining', ink, paper, link('プライバシーについて')],
  ['the menu on paper', '/dining', ink, paper, link('アクセス Access')],
  ['the menu on the slideshow', '/', paper, night, link('アクセス Access')],
  ['the slideshow', '/', paper, night, (page) => page.getByRole('button', { name: /^スライドショー/ })],
  ['the menu of a night page', '/videoproduction', gold, night, link('アクセス Access')],
  ['the foot of a night page', '/videoproduction', gold, night, link('プライバシーについて')],
  ['a card on a night page', '/vbacreate', ink, paper, (page) => page.getByRole('article').getByRole('link').first()],
  ['a film', '/videoproduction', paper, night, button(/再生/)],
  ['a dialog', '/calendar?pick', ink, paper, (page) => page.getByRole('dialog').getByRole('link').last()],
  ['the bar of who works', '/today', gold, night, link('受信箱')],
]

test('draws a two-tone focus ring that contrasts with each background', async ({ page, context, site: url }) => {
  await context.addCookies([{ name: 'as', value: 'owner', url }])
  await page.setViewportSize(desktop)
  for (const [on, path, outside, inside, find] of backgrounds) {
    await open(page, path)
    // Other tests may have changed the palette.
    await page.evaluate(() => document.documentElement.setAttribute('data-palette', 'shu'))
    await page.keyboard.press('Shift')
    await find(page).focus()
    await expect(find(page), on).toHaveCSS('outline', `${outside} solid 3px`)
    await expect(find(page), on).toHaveCSS('box-shadow', new RegExp(`^${inside.replace(/[()]/g, '\\$&')} `))
  }
})

/** Returns the location of the focus. Between the last and the first control of a dialog, the browser has the focus. */
function getFocusLocation(page: Page) {
  return page.evaluate(() => {
    const active = document.activeElement ?? document.body
    return active.closest('dialog:modal') ? 'dialog' : active === document.body ? 'browser' : 'page'
  })
}

/** Asserts that neither Tab nor an Escape during IME composition leaves the dialog. */
async function expectFocusTrap(page: Page) {
  for (const key of ['Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
    await page.keyboard.press(key)
    expect(await getFocusLocation(page), key).not.toBe('page')
  }
  const closes = await getTopDialog(page).evaluate((element) =>
    [{ isComposing: true }, { keyCode: 229 }].some((composing) => {
      const init = { key: 'Escape', bubbles: true, cancelable: true, ...composing }
      return element.dispatchEvent(new KeyboardEvent('keydown', init))
    }),
  )
  expect(closes, 'whether the browser goes on to close it').toBe(false)
}
