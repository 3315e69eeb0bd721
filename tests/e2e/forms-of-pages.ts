// The forms of page texts and of pages that the owner adds.
import type { Page } from '@playwright/test'
import { type Form, post, press, unfold, uniqueName } from './forms.ts'
import { expect, fillIn } from './visitors.ts'

/** Adds a page. Returns the path of its form. */
export async function createPage(page: Page) {
  const location = await post(page, '/pages', { title: '歩く頁', name: uniqueName('aruku-').toLowerCase() })
  return location.split('?')[0] ?? ''
}

const getPath = (page: Page) => new URL(page.url()).pathname

/** Returns the values of the page form. */
async function readPageForm(page: Page) {
  const form = page.locator('form', { has: page.getByLabel('ページのタイトル') })
  const fields = await form.evaluate((element: HTMLFormElement) => Object.fromEntries(new FormData(element)))
  return fields as Record<string, string>
}

export const formsOfPages: Form[] = [
  {
    file: 'forms/settings-form.tsx',
    name: 'the texts of a page',
    walk: 'an outcome outside the form, below a text editor',
    path: '/pages/access/edit',
    invalid: {
      make: (page) => page.getByLabel('ページのタイトル').fill(''),
      text: 'タイトルを入力してください',
      focus: '[name=title]',
    },
    fill: async (page) => {
      await fillIn(page, { ページのタイトル: 'アクセス', はじめの文章: uniqueName('歩いて') })
    },
    send: press('保存する'),
    conflict: {
      make: async (page) =>
        post(page, getPath(page), { ...(await readPageForm(page)), introduction: 'ほかの方の文章' }),
      text: 'ほかの方が先に、同じところを変えて保存しました。',
    },
    done: '保存しました。',
    focus: 'button',
  },
  {
    file: 'pages/page-adding.tsx',
    name: 'a new page',
    path: '/pages',
    invalid: {
      make: (page) => unfold(page, '新しいページを作成する'),
      text: 'タイトルを入力してください',
      focus: '[name=title]',
    },
    fill: async (page) => {
      await fillIn(page, { ページのタイトル: '歩いて作る', アドレス: uniqueName('tsukuru-').toLowerCase() })
    },
    send: press('作成して書きはじめる'),
    done: '追加しました。',
    resultUrl: /\/pages\/p-tsukuru-[^/]*\/edit/,
    focus: '#main',
  },
  {
    file: 'forms/delete-record.tsx',
    name: 'the deletion of a page',
    path: createPage,
    fill: async (page) => {
      // With JavaScript, the editor replaces the text field once its script has loaded.
      const hasScripts = await page.evaluate(() => matchMedia('(scripting: enabled)').matches)
      if (hasScripts) await expect(page.getByRole('textbox', { name: '本文' })).toHaveAttribute('contenteditable')
    },
    send: press('このページを削除する'),
    confirm: '削除する',
    done: '削除しました。',
    resultUrl: /\/pages$/,
    focus: '#main',
  },
]
