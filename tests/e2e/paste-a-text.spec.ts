import type { Page } from '@playwright/test'
import { plainTextOf } from '../../app/pages/plain-text.ts'
import { type Clipboard, clipboards, lineChat } from './text-harness/clipboards.ts'
import { pasteIntoEmpty } from './text-harness/paste.ts'
import { startHarness } from './text-harness/start-harness.ts'
import { test as baseTest, expect } from './visitors.ts'

const test = baseTest.extend({ site: async ({ startOnce }, use) => use(await startOnce('text harness', startHarness)) })

const paper = (page: Page) => page.getByRole('textbox', { name: '文章' })
const readPlainText = async (page: Page) => plainTextOf(JSON.parse(await page.locator('input[name=body]').inputValue()))
const notice = /貼り付け/

type Paste = { forms: Record<string, string> } & Pick<Clipboard, 'paragraphs' | 'notices'>

const pastes: Record<string, Paste> = {
  'a LINE chat': {
    forms: { 'text/plain': lineChat },
    paragraphs: ['2026.11.20 金曜日', '12:03 はな 明日の<席>は?', '12:05 店 空いています😊', '1. 電話'],
  },
  'plain text beside HTML without text': {
    forms: { 'text/html': '<style>p { color: red }</style><p hidden>隠れた</p>', 'text/plain': '見えた文字' },
    paragraphs: ['見えた文字'],
  },
}
for (const [name, { html, ...expected }] of Object.entries(clipboards))
  pastes[name] = { forms: { 'text/html': html, 'text/plain': 'not this' }, ...expected }
for (const style of [
  'display:none',
  'display: none !important',
  'visibility:hidden',
  'Visibility : Hidden',
  'mso-hide:all',
]) {
  const hidden = `<span style="color:red;${style}">隠れた</span>`
  const html = `<p>前${hidden}後</p><p style="${style}">隠れた段落</p><p>終わり</p>`
  pastes[`text with the style ${style}`] = { forms: { 'text/html': html }, paragraphs: ['前後', '終わり'] }
}

test('keeps the visible text of each clipboard, and reports each loss', async ({ page }) => {
  await page.goto('/')
  await expect(paper(page)).toHaveAttribute('contenteditable')
  for (const [name, { forms, paragraphs, notices = [] }] of Object.entries(pastes)) {
    await pasteIntoEmpty(paper(page), forms)
    await expect.poll(() => readPlainText(page), name).toBe(paragraphs.join('\n\n'))
    await expect(page.getByText(notice), name).toHaveText(notices.length > 0 ? [notices.join('')] : [])
  }
})
