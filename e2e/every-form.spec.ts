import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import type { RouteConfigEntry } from '@react-router/dev/routes'
import routes from '../app/routes.ts'
import { test } from './editors.ts'
import { announced, expect, open, told } from './visitors.ts'

test.slow()

type Who = 'owner' | 'guest'
/** One form of the site, as it is walked through. */
type Walk = {
  /** The module whose action takes it. */
  route: string
  name: string
  who?: Who
  path: string | ((page: Page) => Promise<string>)
  /** Fills it in, so that it can be sent. */
  fill?: (page: Page) => Promise<unknown>
  /** Presses its button, and says yes where it asks. */
  send: (page: Page) => Promise<unknown>
  /** What is wrong with it as it first stands there. */
  wrong?: { make?: (page: Page) => Promise<unknown>; says: RegExp | string; focus: string }
  /** What somebody else does meanwhile, and what is said then. */
  newer?: { make: (page: Page) => Promise<unknown>; says: RegExp | string }
  gone?: { make: (page: Page) => Promise<unknown>; says: RegExp | string }
  /** What is said of success; null where the next page says it by itself. */
  done: RegExp | string | null
  /** Where it leads. */
  arrives?: RegExp
  /** What has the focus then, as a selector. */
  focus: string
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const press = (name: string | RegExp) => (page: Page) => button(page, name).click()
const pressAndConfirm = (name: string | RegExp, yes: string) => async (page: Page) => {
  await button(page, name).click()
  await page.getByRole('alertdialog').getByRole('button', { name: yes }).click()
}
const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name }).first()

/** Sends a form beside the page, as somebody else who may. */
async function post(page: Page, path: string, form: Record<string, string>) {
  const { origin } = new URL(page.url())
  const answer = await page.request.post(`${origin}${path}`, { form, headers: { origin }, maxRedirects: 0 })
  expect(answer.status(), path).toBeLessThan(400)
}

/** What a hidden field of the page says. */
const hidden = (page: Page, name: string) => page.locator(`input[name="${name}"]`).first().inputValue()

let count = 0
/** The address of the form of a new card of this collection. */
async function newCard(page: Page, collection: string, edit = `/firestoreservice/{id}/edit`) {
  count += 1
  const title = `歩く札${count}`
  const { origin } = new URL(page.url())
  const answer = await page.request.post(`${origin}/firestoreservice?databasename=${collection}`, {
    form: { intent: 'add', title, content: '内容', text1: title },
    headers: { origin },
    maxRedirects: 0,
  })
  const id = /#card-(.*)$/.exec(answer.headers().location ?? '')?.[1] ?? ''
  return edit.replace('{id}', id)
}

const idOf = (page: Page) => new URL(page.url()).pathname.split('/')[2] ?? ''
const changeCard = (page: Page) =>
  post(page, new URL(page.url()).pathname, {
    intent: 'save',
    version: '1',
    title: 'ほかの方の題',
    content: '内容',
  })
const deleteCard = (page: Page) =>
  post(page, `/firestoreservice/${idOf(page)}/edit`, { intent: 'delete', confirmed: 'yes', version: '1' })

const walks: Walk[] = [
  {
    route: 'content/content-add-page.tsx',
    name: 'a new card',
    path: '/firestoreservice?databasename=vbacreate',
    wrong: { says: 'タイトルを入力してください', focus: '[name=title]' },
    fill: async (page) => {
      await field(page, 'タイトル').fill('歩いて足す')
      await field(page, '内容').fill('内容')
    },
    send: press('追加する'),
    done: '追加しました。',
    arrives: /\/vbacreate\?done=added/,
    focus: 'article',
  },
  {
    route: 'content/content-edit-page.tsx',
    name: 'a card',
    path: (page) => newCard(page, 'vbacreate'),
    wrong: {
      make: (page) => field(page, 'タイトル').fill(''),
      says: 'タイトルを入力してください',
      focus: '[name=title]',
    },
    fill: (page) => field(page, 'タイトル').fill('歩いて直す'),
    send: press('保存する'),
    newer: { make: changeCard, says: 'どちらを残すかをお選び' },
    gone: { make: deleteCard, says: 'この記事は見つかりません' },
    done: /保存しました。/,
    arrives: /\/vbacreate\?done=/,
    focus: 'article',
  },
  {
    route: 'content/content-edit-page.tsx',
    name: 'the deletion of a card',
    path: (page) => newCard(page, 'vbacreate'),
    send: pressAndConfirm('削除する', '削除する'),
    newer: { make: changeCard, says: 'ほかの方が先に変更しました。' },
    gone: { make: deleteCard, says: 'この記事は見つかりません' },
    done: '削除しました。',
    arrives: /\/vbacreate\?done=deleted/,
    focus: '#main',
  },
  {
    route: 'shop/dish-sheet-page.tsx',
    name: 'a new dish',
    path: '/dining/new/add',
    wrong: { says: 'タイトルを入力してください', focus: '[name=title]' },
    fill: async (page) => {
      await field(page, 'タイトル').fill('歩く皿')
      await field(page, '内容').fill('内容')
    },
    send: press('追加する'),
    done: '追加しました。',
    arrives: /\/dining\?done=added/,
    focus: 'article',
  },
  {
    route: 'shop/dish-sheet-page.tsx',
    name: 'a dish',
    path: (page) => newCard(page, 'dining', '/dining/{id}/edit'),
    fill: (page) => field(page, 'タイトル').fill('歩いて直す皿'),
    send: press('保存する'),
    newer: { make: changeCard, says: 'どちらを残すかをお選び' },
    done: /保存しました。/,
    arrives: /\/dining\?done=/,
    focus: 'article',
  },
  {
    route: 'shop/dining-page.tsx',
    name: 'the switch of a dish that is sold out',
    path: async (page) => {
      await newCard(page, 'dining')
      return '/dining'
    },
    send: (page) => page.getByRole('switch', { name: '「出汁巻き玉子」を本日売り切れにする' }).click(),
    done: null,
    focus: '[role=switch]',
  },
  {
    route: 'shop/dining-page.tsx',
    name: 'the order of the dishes',
    path: '/dining?arrange',
    send: press('「出汁巻き玉子」を下へ'),
    done: '並び順を保存しました。',
    focus: 'button[name=down]',
  },
  {
    route: 'shop/home-page.tsx',
    name: 'the order of the slides',
    path: '/',
    send: press('「東京の三つ星の店で」を下へ'),
    done: '並び順を保存しました。',
    focus: 'button[name=down]',
  },
  {
    route: 'shop/home-page.tsx',
    name: 'the deletion of a slide on the page',
    path: '/',
    send: pressAndConfirm('「鴨川の夕暮れ」を削除', '削除する'),
    done: '削除しました。',
    focus: 'h2',
  },
  {
    route: 'business-days/today-page.tsx',
    name: 'the hours of today',
    path: '/today',
    send: press(/臨時休業/),
    newer: {
      make: async (page) =>
        post(page, '/today', {
          intent: 'close',
          day: await hidden(page, 'day'),
          version: await hidden(page, 'version'),
        }),
      says: 'ほかの方が先に変更したか、日付が変わりました。',
    },
    done: '本日を「臨時休業」にしました。',
    focus: 'button[value=close]',
  },
]

// Where the forms are walked through that are not among these yet.
const elsewhere = {
  'sign-in.spec.ts': ['email-login', 'sign-up', 'reset', 'verify', 'undo-address', 'account', 'logout'],
  'write-a-mail.spec.ts': ['mail', 'inbox'],
  'calendar-by-address.spec.ts': ['calendar'],
  'close-a-day.spec.ts': ['business-days'],
  'join-the-circle.spec.ts': ['member-form', 'member-confirm'],
  'look-after-the-circle.spec.ts': ['member-list'],
  'look-after-the-site.spec.ts': ['site', 'bin'],
}

test('no form of the site is left out', () => {
  const files = (entries: RouteConfigEntry[]): string[] =>
    entries.flatMap(({ file, children = [] }) => [file, ...files(children)])
  const taking = files(routes).filter((file) =>
    /export (?:async )?function action/.test(readFileSync(`app/${file}`, 'utf8')),
  )
  const others = Object.values(elsewhere).flat()
  const walked = new Set(walks.map(({ route }) => route))
  expect(
    taking.filter((file) => !walked.has(file) && !others.some((name) => file.endsWith(`/${name}-page.tsx`))),
  ).toEqual([])
})

const NO_CONNECTION = '通信エラーが発生しました。つながってから、もう一度お試しください。'
const phone = { width: 390, height: 844 }
const desk = { width: 1440, height: 900 }

for (const walk of walks) {
  test(`${walk.name}: each thing that may become of it is told where it was sent, once, and nothing is lost`, async ({
    owner,
    browser,
    site,
  }) => {
    const { who = 'owner', path, fill, send, wrong, newer, done, arrives, focus } = walk
    const page =
      who === 'owner' ? await owner({ viewport: phone }) : await (await browser.newContext({ baseURL: site })).newPage()
    const context = page.context()
    await page.goto('/privacy')
    // Nobody tells this page what others do.
    await page.route('**/api/live*', (route) => route.abort())
    await open(page, typeof path === 'string' ? path : await path(page))
    const as = (value: string) => context.addCookies([{ name: 'as', value, url: site }])

    if (wrong) {
      await wrong.make?.(page)
      await send(page)
      await expect(page.locator('[aria-invalid=true]').first()).toBeFocused()
      await expect(page.locator(`${wrong.focus}:focus`)).toBeInViewport()
      await expect(page.getByRole('main').getByText(wrong.says).first()).toBeVisible()
      await heard(page, '入力をご確認ください')
    }
    await fill?.(page)
    const before = await typed(page)

    await context.setOffline(true)
    await tried(NO_CONNECTION)
    await context.setOffline(false)
    await page.setViewportSize(desk)
    await context.addCookies([{ name: 'fails', value: 'yes', url: site }])
    await tried(/失敗しました.*受付番号 [0-9a-f]{8}/)
    await context.clearCookies({ name: 'fails' })
    if (who === 'owner') {
      await context.clearCookies({ name: 'as' })
      await tried(/ログインしてください/)
      await page.setViewportSize(phone)
      await as('applicant')
      await tried(/だけができます/)
      await as('owner')
    }
    if (newer) {
      await newer.make(page)
      await tried(newer.says)
      return
    }
    await forget(page)
    await send(page)
    if (arrives) await expect(page).toHaveURL(arrives)
    if (done) {
      await expect(told(page, done).last()).toBeInViewport({ ratio: 1 })
      await heard(page, done)
    }
    await expect.poll(() => focusOf(page)).toBe(focus)

    async function tried(says: RegExp | string) {
      await forget(page)
      await send(page)
      await expect(told(page, says).last(), String(says)).toBeInViewport({ ratio: 1 })
      await heard(page, says)
      expect(await page.evaluate(() => document.activeElement?.closest('main, dialog') !== null), String(says)).toBe(
        true,
      )
      if (!newer || says !== newer.says) expect(await typed(page)).toEqual(before)
    }

    async function focusOf(on: Page) {
      return on.evaluate((wanted) => {
        const active = document.activeElement
        return active?.matches(wanted) ? wanted : (active?.outerHTML.slice(0, 160) ?? '')
      }, focus)
    }
  })

  const { gone } = walk
  if (gone) {
    test(`${walk.name}: who is too late is told, where it was sent`, async ({ owner }) => {
      const page = await owner({ viewport: phone })
      await page.goto('/privacy')
      await page.route('**/api/live*', (route) => route.abort())
      await open(page, typeof walk.path === 'string' ? walk.path : await walk.path(page))
      await walk.fill?.(page)
      await gone.make(page)
      await walk.send(page)
      await expect(told(page, gone.says)).toBeInViewport({ ratio: 1 })
      await heard(page, gone.says)
    })
  }
}

/** Forgets what was announced. */
async function forget(page: Page) {
  await page.evaluate(() => {
    for (const region of document.querySelectorAll('[data-announcements]')) region.replaceChildren()
  })
}

async function heard(page: Page, says: RegExp | string) {
  await expect(announced(page).filter({ hasText: says }), `heard: ${says}`).toHaveCount(1)
}

/** All that stands in the fields of the page. */
async function typed(page: Page) {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden], [type=file]), textarea, select')].map(
      ({ name, value, checked }) => `${name} ${value} ${checked}`,
    ),
  )
}
