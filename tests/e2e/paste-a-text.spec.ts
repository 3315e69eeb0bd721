import type { Page } from '@playwright/test'
import { plainTextOf } from '../../app/pages/plain-text.ts'
import { clipboards, lineChat } from './text-harness/clipboards.ts'
import { paste } from './text-harness/paste.ts'
import { startHarness } from './text-harness/start-harness.ts'
import { test as baseTest, expect } from './visitors.ts'

const test = baseTest.extend({ site: async ({ startOnce }, use) => use(await startOnce('text harness', startHarness)) })

const paper = (page: Page) => page.getByRole('textbox', { name: '文章' })
const readPlainText = async (page: Page) => plainTextOf(JSON.parse(await page.locator('input[name=body]').inputValue()))
const notice = /貼り付け/

async function openAndPaste(page: Page, forms: Record<string, string>) {
  await page.goto('/')
  await expect(paper(page)).toHaveAttribute('contenteditable')
  await paper(page).focus()
  await paste(paper(page), forms)
}

for (const [name, { html, paragraphs, notices = [] }] of Object.entries(clipboards)) {
  test(`keeps the text of ${name}`, async ({ page }) => {
    await openAndPaste(page, { 'text/html': html, 'text/plain': 'not this' })
    await expect.poll(() => readPlainText(page)).toBe(paragraphs.join('\n\n'))
    await expect(page.getByText(notice)).toHaveText(notices.length > 0 ? [notices.join('')] : [])
  })
}

test('keeps the lines of a LINE chat', async ({ page }) => {
  await openAndPaste(page, { 'text/plain': lineChat })
  await expect
    .poll(() => readPlainText(page))
    .toBe(['2026.11.20 金曜日', '12:03 はな 明日の<席>は?', '12:05 店 空いています😊', '1. 電話'].join('\n\n'))
  await expect(page.getByText(notice)).toHaveCount(0)
})

test('pastes the plain text when the HTML has no text', async ({ page }) => {
  await openAndPaste(page, {
    'text/html': '<style>p { color: red }</style><p hidden>隠れた</p>',
    'text/plain': '見えた文字',
  })
  await expect.poll(() => readPlainText(page)).toBe('見えた文字')
})

for (const style of [
  'display:none',
  'display: none !important',
  'visibility:hidden',
  'Visibility : Hidden',
  'mso-hide:all',
])
  test(`leaves out text with the style ${style}`, async ({ page }) => {
    const hidden = `<span style="color:red;${style}">隠れた</span>`
    await openAndPaste(page, { 'text/html': `<p>前${hidden}後</p><p style="${style}">隠れた段落</p><p>終わり</p>` })
    await expect.poll(() => readPlainText(page)).toBe(['前後', '終わり'].join('\n\n'))
  })
