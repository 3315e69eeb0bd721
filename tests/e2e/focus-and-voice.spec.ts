import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { returningTest as test } from './editors.ts'
import { createCard } from './forms-of-cards.ts'
import { createMember } from './forms-of-circle.ts'
import { createEvent } from './forms-of-days.ts'
import { createPage } from './forms-of-pages.ts'
import { photograph } from './photograph.ts'
import {
  clearAnnouncements,
  desktop,
  expect,
  fillIn,
  findComponentFiles,
  getAnnouncements,
  test as guestTest,
  open,
  phone,
} from './visitors.ts'

type Find = (page: Page) => Locator
/** A page with dialogs. */
type Place = {
  /** The visitor, by default the owner. */
  visitor?: 'guest' | 'signedin'
  path: string | ((page: Page) => Promise<string>)
  dialogs: Dialog[]
}
type Dialog = {
  /** The source file of the dialog, and its component in `ui/dialog.tsx`. */
  file: string
  component: 'Dialog' | 'Confirm' | 'Alert'
  name: string
  /** Prepares the page. Opens the dialog if there is no `opener`. */
  prepare?: (page: Page) => Promise<unknown>
  /** Whether `prepare` opens the dialog again on the same page. */
  canRepeat?: boolean
  opener?: Find
  text: string | RegExp
  /** The label of the closing control, by default 閉じる. `back`: whether the Back button also closes the dialog. */
  closeLabel?: string
  back?: boolean
  /** The announcement after closing, if there is one. `focusAfter`: the focused element, by default the opener. */
  announcement?: string | RegExp
  focusAfter?: Find
  /**
   * The control that confirms or submits, with its announcement and the element that is focused afterwards. Undefined
   * if every-form.spec.ts submits the form of the dialog.
   */
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

const eventLink = link(/終日 歩く催し/)
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

const cardPage: Place = {
  path: async (page) => `/firestoreservice/${await createCard(page, 'vbacreate')}/edit`,
  dialogs: [
    {
      file: 'cards/card-form.tsx',
      component: 'Confirm',
      name: 'the confirmation before a card is deleted',
      opener: button('削除する'),
      ...deletion,
    },
    {
      file: 'forms/unsaved-changes-prompt.tsx',
      component: 'Confirm',
      name: 'the unsaved-changes prompt of a card',
      prepare: (page) => title(page).fill('書きかけ'),
      opener: link('閉じる'),
      ...unsavedChanges,
      confirm: { press: '閉じる', announcement: 'VBAのご紹介', focus: main },
    },
    {
      file: 'media/crop-dialog.tsx',
      component: 'Dialog',
      name: 'the crop dialog',
      // The file field has no focus before, because Safari does not focus a label when the label is pressed.
      prepare: async (page) => file(page).setInputFiles(await photograph()),
      canRepeat: true,
      text: '写真を切り抜く',
      closeLabel: 'やめる',
      focusAfter: file,
      confirm: { press: 'この写真を使う', announcement: '写真を追加しました。', focus: file },
    },
  ],
}

const dishes: Place = {
  path: createDish,
  dialogs: [
    {
      file: 'shop/dish-sheet-page.tsx',
      component: 'Dialog',
      name: 'the form of a new dish',
      opener: link('料理を追加'),
      text: 'お料理の追加',
      back: true,
      isWide: true,
    },
    {
      file: 'shop/section-page.tsx',
      component: 'Dialog',
      name: 'the form of a new section',
      opener: link('分類を追加'),
      text: '分類の追加',
      back: true,
      isWide: true,
    },
    {
      file: 'shop/dish-sheet-page.tsx',
      component: 'Dialog',
      name: 'the form of a dish',
      opener: pencil,
      text: 'お料理の編集',
      back: true,
      isWide: true,
    },
    {
      file: 'cards/card-form.tsx',
      component: 'Confirm',
      name: 'the confirmation before a dish is deleted',
      prepare: (page) => pencil(page).press('Enter'),
      opener: button('削除する'),
      ...deletion,
      confirm: { press: '削除する', announcement: '削除しました。', focus: heading('お料理') },
    },
    {
      file: 'forms/unsaved-changes-prompt.tsx',
      component: 'Confirm',
      name: 'the unsaved-changes prompt of a dish',
      prepare: typeInDish,
      opener: button('閉じる'),
      ...unsavedChanges,
      confirm: { press: '閉じる', focus: pencil },
    },
  ],
}

const calendar: Place = {
  path: async (page) => {
    const { event } = await createEvent(page)
    return `/calendar?month=${event.day.slice(0, 7)}&day=${event.day}`
  },
  dialogs: [
    {
      file: 'calendar/event-dialog.tsx',
      component: 'Dialog',
      name: 'an event',
      opener: eventLink,
      text: /^歩く催し/,
      back: true,
    },
    {
      file: 'calendar/event-dialog.tsx',
      component: 'Confirm',
      name: 'the confirmation before an event is deleted',
      prepare: (page) => eventLink(page).press('Enter'),
      opener: button('削除する'),
      text: /のイベントを削除しますか/,
      closeLabel: 'やめる',
    },
    {
      file: 'calendar/calendar-page.tsx',
      component: 'Alert',
      name: 'the alert that an event is deleted',
      prepare: async (page) => {
        if ((await page.getByRole('dialog').count()) === 0) await eventLink(page).press('Enter')
        await getInDialog(page, '削除する').click()
        await page.getByRole('alertdialog').getByRole('button', { name: '削除する' }).click()
        // If the alert closed before the page is reloaded, the heading of the day would receive the focus.
        await expect(eventLink(page)).toHaveCount(0)
      },
      text: 'イベントを削除しました',
      announcement: 'イベントを削除しました',
      focusAfter: heading(/^\d+年\d+月$/),
    },
  ],
}

const places: Place[] = [
  dishes,
  cardPage,
  calendar,
  {
    path: '/site',
    dialogs: [
      {
        file: 'forms/unsaved-changes-prompt.tsx',
        component: 'Confirm',
        name: 'the unsaved-changes prompt of the site settings',
        prepare: (page) => page.getByLabel('お席', { exact: true }).fill('書きかけ'),
        opener: link('受信箱'),
        text: '「ご案内」に、まだ保存していないところがあります。この画面を離れますか？',
        closeLabel: 'やめる',
        confirm: { press: '離れる', announcement: '受信箱', focus: main },
      },
    ],
  },
  {
    visitor: 'guest',
    path: '/calendar?month=2026-11',
    dialogs: [
      {
        file: 'calendar/year-picker.tsx',
        component: 'Dialog',
        name: 'the year picker',
        opener: link('年を選ぶ'),
        text: '年を選ぶ',
        back: true,
        confirm: { press: '2031年', announcement: '2031年11月', focus: link('年を選ぶ') },
      },
    ],
  },
  {
    path: '/membercreate/applicant',
    dialogs: [
      {
        file: 'members/member-step-form.tsx',
        component: 'Alert',
        name: 'the alert that an account name is taken',
        prepare: async (page) => {
          for (const field of await page.getByRole('main').getByRole('textbox').all()) await field.fill('a@example.jp')
          await page.getByLabel('アカウント名').fill('桜井 花')
        },
        opener: button('次へ'),
        text: /そのアカウント名は既に存在します/,
        focusAfter: (page) => page.getByLabel('アカウント名'),
      },
    ],
  },
  {
    path: '/privacy',
    dialogs: [
      {
        file: 'circle/member-list-page.tsx',
        component: 'Alert',
        name: 'the alert for the first member',
        // Navigates in the client, as after a registration.
        prepare: (page) =>
          page.evaluate(() => {
            history.pushState({}, '', '/memberlist?done=first')
            dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
          }),
        text: '最初の登録者のため、管理者権限を付与しました',
        focusAfter: main,
      },
    ],
  },
  {
    path: async (page) => {
      await createMember(page, { registered: false })
      return '/memberdetailconfirm?for=nonmember'
    },
    dialogs: [
      {
        file: 'members/member-confirm-page.tsx',
        component: 'Alert',
        name: 'the alert for a signed-out user',
        prepare: (page) => page.context().clearCookies({ name: 'as' }),
        opener: button('上記の内容で登録する'),
        text: 'ログインしてから入力してください',
        announcement: '会員ログイン',
        focusAfter: main,
      },
    ],
  },
  {
    path: createPage,
    dialogs: [
      {
        file: 'pages/text-dialogs.tsx',
        component: 'Dialog',
        name: 'the link dialog of the text editor',
        opener: (page) => page.getByRole('button', { name: 'リンク', exact: true }),
        text: 'リンク',
        closeLabel: 'やめる',
      },
    ],
  },
  {
    path: '/notices',
    dialogs: [
      {
        file: 'notices/notice-page.tsx',
        component: 'Dialog',
        name: 'the form of a new notice',
        opener: link('お知らせを書く'),
        text: 'お知らせの追加',
        back: true,
        isWide: true,
      },
    ],
  },
  {
    visitor: 'signedin',
    path: '/login/welcome',
    dialogs: [
      {
        file: 'accounts/signed-in-page.tsx',
        component: 'Alert',
        name: 'the alert after sign-up',
        text: '先にメンバー情報を登録してください',
        focusAfter: heading('ようこそ'),
        confirm: { press: 'メンバー登録へ進む', announcement: 'メンバー登録', focus: main },
      },
    ],
  },
]

/** The sentences of the other confirmations. every-form.spec.ts confirms each of these dialogs. */
const otherConfirmations = {
  'circle/member-card.tsx': /を本当に削除しますか/,
  'forms/delete-record.tsx': /を本当に削除しますか/,
  'shop/slides-editor.tsx': /を本当に削除しますか/,
  'staff/accounts-without-role.tsx': / さんのアカウントを削除しますか？/,
  'staff/staff-person.tsx': / さんをスタッフから外しますか？/,
}

const dialogs = places.flatMap((place) => place.dialogs)

test('covers every dialog of the site', () => {
  const filesWithDialogs = findComponentFiles(/<(?:Dialog|Confirm|Alert)\b/)
  const files = [...dialogs.map((dialog) => dialog.file), ...Object.keys(otherConfirmations), 'ui/dialog.tsx']
  expect([...new Set(files)].sort()).toEqual(filesWithDialogs)
  const readSource = (name: string) => readFileSync(`app/${name}`, 'utf8')
  for (const { file, component } of dialogs) expect(readSource(file), file).toMatch(new RegExp(`<${component}\\b`))
  // `Dialog` contains the focus trap, and `Confirm` and `Alert` have one handler for Escape and their closing button.
  expect(findComponentFiles(/<dialog\b/)).toEqual(['ui/dialog.tsx'])
  for (const [file, sentence] of Object.entries(otherConfirmations)) {
    expect(readSource(file), file).toMatch(sentence)
    expect(readSource(file).match(/<(?:Dialog|Confirm|Alert)\b/g), file).toEqual(['<Confirm'])
  }
})

for (const { visitor = 'owner', path, dialogs: dialogsOfPlace } of places) {
  const names = dialogsOfPlace.map(({ name }) => name).join(', ')

  test(`${names}: takes the focus, and restores the previous focus on closing`, async ({
    page,
    context,
    site: url,
  }) => {
    // Without live updates, the page does not notice the sign-out.
    await context.addCookies([{ name: 'live', value: 'no', url }])
    await page.goto('/api/health')
    let isLoaded = false
    for (const dialog of dialogsOfPlace) {
      const { prepare, opener, canRepeat, text, closeLabel = '閉じる', back, announcement, confirm, isWide } = dialog
      const focusAfter = dialog.focusAfter ?? opener ?? main
      const isFirst = dialogs.find(({ component }) => component === dialog.component) === dialog
      const hasOwnCloseControl = isFirst || dialog.component === 'Dialog'
      let isPrepared = false
      for (const closingAction of [
        'Escape',
        ...(hasOwnCloseControl ? [closeLabel] : []),
        ...(back ? ['Back'] : []),
        ...(confirm ? ['yes'] : []),
      ]) {
        const step = `${dialog.name}: ${closingAction}`
        await page.setViewportSize(isWide && closingAction === closeLabel ? desktop : phone)
        const canOpen = isLoaded && isPrepared && (canRepeat || (await opener?.(page).isVisible()))
        if (!isLoaded || (isPrepared && !canOpen)) {
          if (visitor !== 'guest') await context.addCookies([{ name: 'as', value: visitor, url }])
          await open(page, typeof path === 'string' ? path : await path(page))
          isLoaded = true
        }
        if (!canOpen || canRepeat) await prepare?.(page)
        isPrepared = true
        await opener?.(page).press('Enter')
        await expect(getTopDialog(page), step).toHaveAccessibleName(text)
        await expect(getTopDialog(page), step).toBeInViewport({ ratio: 1 })
        await expect.poll(() => getFocusLocation(page), step).toBe('dialog')
        const openDialogs = await page.locator('dialog:modal').count()
        if (isFirst && closingAction === 'Escape') await expectFocusTrap(page)
        await clearAnnouncements(page)

        if (closingAction === 'Back') await page.goBack()
        else if (closingAction === 'Escape') await page.keyboard.press('Escape')
        else await getInDialog(page, closingAction === 'yes' ? (confirm?.press ?? '') : closingAction).press('Enter')
        const isConfirmed = closingAction === 'yes' && confirm
        await expect(isConfirmed ? confirm.focus(page) : focusAfter(page), step).toBeFocused()
        if (!isConfirmed) await expect(page.locator('dialog:modal'), step).toHaveCount(openDialogs - 1)
        const expectedAnnouncement = isConfirmed ? confirm.announcement : announcement
        const announcements = getAnnouncements(page)
        await expect(
          expectedAnnouncement ? announcements.filter({ hasText: expectedAnnouncement }) : announcements,
          step,
        ).toHaveCount(expectedAnnouncement ? 1 : 0)
        if (isConfirmed) isLoaded = false
      }
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
type Background = [on: string, path: string, outside: string, inside: string, find: Find]
const backgrounds: Background[] = [
  ['paper', '/dining', ink, paper, link('プライバシーについて')],
  ['the menu on paper', '/dining', ink, paper, link('アクセス Access')],
  ['the menu on the slideshow', '/', paper, night, link('アクセス Access')],
  ['the slideshow', '/', paper, night, (page) => page.getByRole('button', { name: /^スライドショー/ })],
  ['the menu of a night page', '/videoproduction', gold, night, link('アクセス Access')],
  ['the foot of a night page', '/videoproduction', gold, night, link('プライバシーについて')],
  ['a film', '/videoproduction', paper, night, button(/再生/)],
  ['a card on a night page', '/vbacreate', ink, paper, (page) => page.getByRole('article').getByRole('link').first()],
  ['a dialog', '/calendar?pick', ink, paper, (page) => page.getByRole('dialog').getByRole('link').last()],
]

guestTest('draws a two-tone focus ring that contrasts with each background', async ({ page }) => {
  await page.setViewportSize(desktop)
  for (const background of backgrounds) {
    if (new URL(page.url()).pathname !== background[1]) await open(page, background[1])
    await expectFocusRing(page, background)
  }
})

test('draws a two-tone focus ring that contrasts with the toolbar', async ({ page, context, site: url }) => {
  await context.addCookies([{ name: 'as', value: 'owner', url }])
  await open(page, '/today')
  await expectFocusRing(page, ['the toolbar', '/today', gold, night, link('受信箱')])
})

async function expectFocusRing(page: Page, [on, , outside, inside, find]: Background) {
  // Other tests may have changed the palette.
  await page.evaluate(() => document.documentElement.setAttribute('data-palette', 'shu'))
  await page.keyboard.press('Shift')
  await find(page).focus()
  await expect(find(page), on).toHaveCSS('outline', `${outside} solid 3px`)
  await expect(find(page), on).toHaveCSS('box-shadow', new RegExp(`^${inside.replace(/[()]/g, '\\$&')} `))
}

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
