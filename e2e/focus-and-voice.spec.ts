import { readdirSync, readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { returning as test } from './editors.ts'
import { newCard, newEvent, newMember } from './forms.ts'
import { announced, expect, open } from './visitors.ts'

test.slow()

const phone = { width: 390, height: 844 }
const desk = { width: 1440, height: 900 }

type Find = (page: Page) => Locator
type Dialog = {
  /** The file that draws it. */
  in: string
  says: string | RegExp
  /** A cookie's word for who sees it; nobody in particular where there is none. */
  as?: 'owner' | 'signedin'
  path: string | ((page: Page) => Promise<string>)
  /** What opens it; nothing where it comes with its page. */
  opener?: Find
  /** What else is done before, each time. */
  first?: (page: Page) => Promise<unknown>
  /** Its own way out, and what has the focus then: what opened it, where nothing is said. */
  close: Find
  after?: Find
}

const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first()
const link = (name: string | RegExp) => (page: Page) => page.getByRole('link', { name }).first()
const inAlert = (name: string) => (page: Page) => page.getByRole('alertdialog').getByRole('button', { name })
const main = (page: Page) => page.locator('#main')
const photograph = sharp({ create: { width: 900, height: 900, channels: 3, background: '#a33' } })

let member = ''
const dialogs: Dialog[] = [
  {
    in: 'shop/dish-sheet-page.tsx',
    says: 'お料理の追加',
    as: 'owner',
    path: '/dining',
    opener: link('料理を追加'),
    close: button('閉じる'),
  },
  {
    in: 'media/crop-dialog.tsx',
    says: '写真を切り抜く',
    as: 'owner',
    path: '/firestoreservice?databasename=vbacreate',
    first: async (page) => {
      await page.locator('input[type=file]').focus()
      const file = { name: 'p.png', mimeType: 'image/png', buffer: await photograph.png().toBuffer() }
      await page.locator('input[type=file]').setInputFiles(file)
    },
    close: button('やめる'),
    after: (page) => page.locator('input[type=file]'),
  },
  {
    in: 'content/content-form.tsx',
    says: /を本当に削除しますか/,
    as: 'owner',
    path: async (page) => `/firestoreservice/${await newCard(page, 'vbacreate')}/edit`,
    opener: button('削除する'),
    close: inAlert('やめる'),
  },
  {
    in: 'content/content-form.tsx',
    says: /この画面を閉じますか/,
    as: 'owner',
    path: '/firestoreservice?databasename=vbacreate',
    first: (page) => page.getByLabel('タイトル').fill('書きかけ'),
    opener: link('閉じる'),
    close: inAlert('やめる'),
  },
  {
    in: 'shop/slides-editor.tsx',
    says: /を本当に削除しますか/,
    as: 'owner',
    path: '/',
    opener: button(/^「.+」を削除$/),
    close: inAlert('やめる'),
  },
  {
    in: 'calendar/event-dialog.tsx',
    says: /^歩く催し/,
    as: 'owner',
    path: async (page) => {
      const { event } = await newEvent(page)
      return `/calendar?month=${event.day.slice(0, 7)}&day=${event.day}`
    },
    opener: link(/終日 歩く催し/),
    close: (page) => page.getByRole('dialog').getByRole('link', { name: '閉じる' }),
  },
  {
    in: 'calendar/event-dialog.tsx',
    says: /のイベントを削除しますか/,
    as: 'owner',
    path: async (page) => (await newEvent(page)).path,
    opener: (page) => page.getByRole('dialog').getByRole('button', { name: '削除する' }),
    close: inAlert('やめる'),
  },
  {
    in: 'calendar/calendar-page.tsx',
    says: 'イベントを削除しました',
    as: 'owner',
    path: async (page) => (await newEvent(page)).path,
    first: async (page) => {
      await page.getByRole('button', { name: '削除する' }).click()
      await inAlert('削除する')(page).click()
      await expect(page.getByRole('dialog')).toHaveCount(0)
    },
    close: inAlert('閉じる'),
    after: (page) => page.getByRole('heading', { level: 1 }),
  },
  {
    in: 'calendar/year-picker.tsx',
    says: '年を選ぶ',
    path: '/calendar',
    opener: link('年を選ぶ'),
    close: (page) => page.getByRole('dialog').getByRole('link', { name: '閉じる' }),
  },
  {
    in: 'members/member-card.tsx',
    says: /を本当に削除しますか/,
    as: 'owner',
    path: async (page) => {
      member = await newMember(page)
      return '/memberlist'
    },
    first: (page) =>
      page
        .getByRole('article', { name: member })
        .evaluate((card) => card.querySelector('details')?.setAttribute('open', '')),
    opener: (page) => page.getByRole('button', { name: `${member} さん：削除する` }),
    close: inAlert('やめる'),
  },
  {
    in: 'members/member-step-form.tsx',
    says: /そのアカウント名は既に存在します/,
    as: 'owner',
    path: '/membercreate/applicant',
    first: async (page) => {
      for (const field of await page.getByRole('main').getByRole('textbox').all()) await field.fill('a@example.jp')
      await page.getByLabel('アカウント名').fill('桜井 花')
      await page.getByRole('button', { name: '次へ' }).last().click()
    },
    close: inAlert('閉じる'),
    after: (page) => page.getByLabel('アカウント名'),
  },
  {
    in: 'members/member-list-page.tsx',
    says: '最初の登録者のため、管理者権限を付与しました',
    as: 'owner',
    path: '/privacy',
    // As who has registered is led there.
    first: (page) =>
      page.evaluate(() => {
        history.pushState({}, '', '/memberlist?done=first')
        dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
      }),
    close: inAlert('閉じる'),
    after: main,
  },
  {
    in: 'members/member-confirm-page.tsx',
    says: 'ログインしてから入力してください',
    as: 'owner',
    path: async (page) => {
      await newMember(page, { registered: false })
      return '/memberdetailconfirm?for=nonmember'
    },
    first: (page) => page.context().clearCookies(),
    opener: button('上記の内容で登録する'),
    close: inAlert('閉じる'),
    after: main,
  },
  {
    in: 'accounts/welcome-page.tsx',
    says: '先にメンバー情報を登録してください',
    as: 'signedin',
    path: '/login/welcome',
    close: inAlert('閉じる'),
    after: main,
  },
]

test('no dialog of the site is left out', () => {
  const files = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  const drawing = files.filter((file) => /<(?:Dialog|Confirm|Alert)\b/.test(readFileSync(`app/${file}`, 'utf8')))
  expect([...new Set([...dialogs.map((dialog) => dialog.in), 'ui/dialog.tsx'])].sort()).toEqual(drawing.sort())
})

for (const { in: file, says, as, path, opener, first, close, after = opener ?? main } of dialogs) {
  test(`${file} (${says}): the focus is in the dialog, and goes back`, async ({ page, context, site: url }) => {
    if (as) await context.addCookies([{ name: 'as', value: as, url }])
    await page.goto('/api/health')
    const address = typeof path === 'string' ? path : await path(page)
    const dialog = page.locator('dialog:modal').last()
    for (const way of ['Escape', 'its own']) {
      await page.setViewportSize(way === 'Escape' ? phone : desk)
      // What was opened by its page, or is done, is there once.
      if (way === 'Escape' || !opener) {
        if (way !== 'Escape' && typeof path !== 'string') return
        await open(page, address)
      }
      await first?.(page)
      await opener?.(page).press('Enter')
      await expect(dialog).toHaveAccessibleName(says)
      await expect(dialog).toBeInViewport({ ratio: 0.99 })
      await expect.poll(() => where(page)).toBe('dialog')
      for (const key of ['Tab', 'Tab', 'Shift+Tab']) {
        await page.keyboard.press(key)
        expect(await where(page), key).not.toBe('page')
      }
      const opened = await page.locator('dialog:modal').count()
      if (way === 'Escape') await page.keyboard.press('Escape')
      else await close(page).press('Enter')
      await expect(page.locator('dialog:modal')).toHaveCount(opened - 1)
      await expect(after(page)).toBeFocused()
      if (file === 'members/member-confirm-page.tsx') return
    }
  })
}

/** Where the focus is; between the last control of a dialog and its first there is the browser. */
function where(page: Page) {
  return page.evaluate(() => {
    const active = document.activeElement ?? document.body
    return active.closest('dialog:modal') ? 'dialog' : active === document.body ? 'browser' : 'page'
  })
}

test('each page that a link leads to is heard by its title, once, and has the focus', async ({ page }) => {
  await open(page, '/privacy')
  const links = await page
    .locator('header a[href^="/"], footer a[href^="/"]')
    .evaluateAll((found) => found.map((each) => each.getAttribute('href') ?? ''))
  for (const [index, to] of links.entries()) {
    if (index === 8) await page.setViewportSize(desk)
    await page.evaluate((href) => document.querySelector<HTMLElement>(`a[href="${href}"]`)?.click(), to)
    if (new URL(page.url()).pathname === to) continue
    await expect(page).toHaveURL(to)
    await expect(main(page), to).toBeFocused()
    await expect(announced(page).filter({ hasText: await page.title() }), to).toHaveCount(1)
  }
})
