import type { Page } from '@playwright/test'
import { button, nextNumber, type PageAction, post, uniqueName } from './forms.ts'
import { enableMail } from './forms-of-accounts.ts'
import { createCard } from './forms-of-cards.ts'
import { createEvent } from './forms-of-days.ts'
import { createPage } from './forms-of-pages.ts'
import { storedDrafts } from './kept-drafts.ts'
import { expect, getNotice, open } from './visitors.ts'

export const getRestoredNotice = (page: Page) => getNotice(page, '前回の入力の続きを表示しています。')
export const getTextBox = (page: Page, name: string) => page.getByRole('textbox', { name }).first()
const boxOfDay = (page: Page, name: string) => page.locator('#day').getByRole('textbox', { name })
// A restored draft may have opened the details already.
const openDetails = (page: Page, summary: string) =>
  page
    .locator('details', { has: page.getByText(summary, { exact: true }) })
    .first()
    .evaluate((details: HTMLDetailsElement) => {
      details.open = true
    })
const press = (name: string) => (page: Page) => button(page, name).click()

export type LongForm = {
  /** The component file that calls `useDraft`. */
  file: string
  name: string
  /** Creates the record of the form. Returns the path of its page. */
  path: (page: Page) => Promise<string>
  /** Opens the folded form on its page. */
  unfold?: PageAction
  field: (page: Page) => ReturnType<typeof getTextBox>
  /** Fills in the other required fields. */
  fill?: PageAction
  save: PageAction
  done: string | RegExp
}

async function createMessage(page: Page) {
  await enableMail(page)
  const number = nextNumber()
  const message = { to: 'shop', subject: uniqueName('続く便り'), text: '本文', from: 'walks@example.jp', homepage: '' }
  const form = { ...message, once: crypto.randomUUID(), shownAt: `${Date.now() - 60_000}` }
  await post(page, '/mail', form, { 'x-forwarded-for': `2001:db8:77:${number.toString(16)}::1` })
  return '/inbox'
}

export const longForms: LongForm[] = [
  {
    file: 'cards/card-form.tsx',
    name: 'a new dish',
    path: async () => '/dining/new/add',
    field: (page) => getTextBox(page, '品名'),
    save: press('追加する'),
    done: '追加しました。',
  },
  {
    file: 'cards/card-form.tsx',
    name: 'a dish',
    path: async (page) => `/dining/${await createCard(page, 'dining')}/edit`,
    field: (page) => getTextBox(page, '内容'),
    save: press('保存する'),
    done: '保存しました。',
  },
  {
    file: 'shop/prices-page.tsx',
    name: 'the prices of the dishes',
    path: async () => '/dining/prices',
    field: (page) => getTextBox(page, '胡麻豆腐'),
    fill: (page) => getTextBox(page, '胡麻豆腐').fill(String(1000 + nextNumber())),
    save: press('保存する'),
    done: '1品の価格を保存しました。',
  },
  {
    file: 'pages/page-adding.tsx',
    name: 'a new page',
    path: async () => '/pages',
    unfold: (page) => openDetails(page, '新しいページを作成する'),
    field: (page) => getTextBox(page, 'ページのタイトル'),
    fill: (page) => getTextBox(page, 'アドレス').fill(uniqueName('tsuzuki-').toLowerCase()),
    save: press('作成して書きはじめる'),
    done: '追加しました。',
  },
  {
    file: 'forms/settings-form.tsx',
    name: 'a page',
    path: createPage,
    field: (page) => page.locator('[role=textbox][contenteditable]'),
    save: press('保存する'),
    done: '保存しました。',
  },
  {
    file: 'forms/settings-form.tsx',
    name: 'the introduction of the shop',
    path: async () => '/site',
    field: (page) => getTextBox(page, 'お店の紹介'),
    save: press('紹介とお知らせを保存する'),
    done: /^保存しました。/,
  },
  {
    file: 'calendar/add-event.tsx',
    name: 'a new event',
    path: async () => '/calendar?day=2041-03-03',
    field: (page) => boxOfDay(page, '内容'),
    fill: (page) => boxOfDay(page, 'タイトル').fill(uniqueName('続く催し')),
    save: press('追加する'),
    done: '予定を追加しました。',
  },
  {
    file: 'calendar/event-editing.tsx',
    name: 'an event',
    path: async (page) => (await createEvent(page)).path,
    unfold: press('編集する'),
    field: (page) => page.getByRole('dialog').getByRole('textbox', { name: '内容' }),
    save: press('保存する'),
    done: '予定を保存しました。',
  },
  {
    file: 'contact/inbox-message.tsx',
    name: 'a reply',
    path: createMessage,
    unfold: (page) => openDetails(page, '返信を書く'),
    field: (page) => getTextBox(page, '返信'),
    save: press('返信を送る'),
    done: '返信を受け付けました。',
  },
]

export const introduction = longForms.find(({ name }) => name === 'the introduction of the shop') as LongForm

export async function openForm(page: Page, path: string, { unfold }: LongForm) {
  await open(page, path)
  await unfold?.(page)
}

/** Types into an open form and waits until the browser has stored the draft. */
export async function typeDraft(page: Page, form: LongForm, text: string) {
  await form.field(page).fill(text)
  await expect.poll(() => storedDrafts(page)).toContain(text)
}

export const readText = async (page: Page, form: LongForm) => {
  const field = form.field(page)
  const isEditable = (await field.getAttribute('contenteditable')) !== null
  return isEditable ? field.innerText() : field.inputValue()
}
