import type { Page } from '@playwright/test'
import type { Text } from '../../app/pages/text.ts'
import type { ParsedText } from '../../app/pages/text-from-html.ts'
import { paste, pasteIntoEmpty } from './text-harness/paste.ts'
import { pastes } from './text-harness/pastes.ts'
import { startHarness } from './text-harness/start-harness.ts'
import { test as baseTest, delayRequests, expect, phone } from './visitors.ts'

const test = baseTest.extend({ site: async ({ startOnce }, use) => use(await startOnce('text harness', startHarness)) })

const paper = (page: Page) => page.getByRole('textbox', { name: '文章' })
const tool = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const readText = async (page: Page): Promise<Text> => JSON.parse(await page.locator('input[name=body]').inputValue())

async function openEditor(page: Page, text: Text = []) {
  await page.goto(`/?text=${encodeURIComponent(JSON.stringify(text))}`)
  await expect(paper(page)).toHaveAttribute('contenteditable')
  await paper(page).focus()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.press('End')
}

const textInHtml = (page: Page, html: string) =>
  page.evaluate((given) => (window as unknown as { textInHtml: (html: string) => ParsedText }).textInHtml(given), html)

test('pastes text of every word processor without styles, scripts or requests', async ({ page }) => {
  await openEditor(page)
  for (const [name, { html, text, losses }] of Object.entries(pastes)) {
    expect(await textInHtml(page, html), name).toEqual({ text, losses })
    await pasteIntoEmpty(paper(page), { 'text/html': html, 'text/plain': 'not this' })
    await expect.poll(() => readText(page), name).toEqual(text)
    expect(await page.evaluate(() => (window as { ran?: number }).ran), name).toBeUndefined()
    const strange = paper(page).locator(
      ':not(p, h2, h3, ul, ol, li, b, a, br, div, figure, img), [style], [class], [onclick]',
    )
    await expect(strange, name).toHaveCount(0)
    const notice = page.getByText('写真は貼り付けられません')
    await expect(notice, name).toHaveCount(losses.join().includes('picture') ? 1 : 0)
    await paper(page).focus()
    await page.keyboard.type('あ')
    await expect(notice, name).toHaveCount(0)
  }
})

test('accepts 300 pasted paragraphs, and rejects 601 paragraphs', async ({ page }) => {
  await openEditor(page, [{ kind: 'paragraph', runs: [{ text: '前から' }] }])
  const paragraphs = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => `<p class=MsoNormal style='mso-x:y'><span lang=JA>${at}番</span></p>`,
    ).join('')
  await page.keyboard.press('ControlOrMeta+a')
  await paste(paper(page), { 'text/html': paragraphs(5000), 'text/plain': 'x' })
  await expect(page.getByText('貼り付ける文章が長すぎます。600段落以内に分けて貼り付けてください。')).toBeVisible()
  expect(await readText(page)).toEqual([{ kind: 'paragraph', runs: [{ text: '前から' }] }])
  await paste(paper(page), { 'text/plain': 'x\n'.repeat(601) })
  await expect(page.getByText('貼り付ける文章が長すぎます')).toBeVisible()
  expect(await readText(page)).toHaveLength(1)
  await paste(paper(page), { 'text/html': paragraphs(300) })
  await expect.poll(async () => (await readText(page)).length).toBe(300)
  await paste(paper(page), { 'text/html': paragraphs(400) })
  await expect(page.getByText('文章は、段落と箇条書きの行を合わせて600までです')).toBeVisible()
  await tool(page, '元に戻す').click()
  await expect.poll(async () => (await readText(page)).length).toBe(300)
  await tool(page, '元に戻す').click()
  await expect.poll(() => readText(page)).toEqual([{ kind: 'paragraph', runs: [{ text: '前から' }] }])
})

test('formats text by buttons, and undoes and redoes it', async ({ page }) => {
  await openEditor(page)
  await page.keyboard.type('ご案内')
  await tool(page, '見出し').click()
  await expect(tool(page, '見出し')).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('Enter')
  await expect(tool(page, '見出し')).toHaveAttribute('aria-pressed', 'false')
  await page.keyboard.type('本文')
  await page.keyboard.press('ControlOrMeta+b')
  await expect(tool(page, '太字')).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.type('太い')
  await tool(page, '太字').click()
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('次の行')
  await page.keyboard.press('Enter')
  await page.keyboard.type('一')
  await tool(page, '番号付き').click()
  await page.keyboard.press('Enter')
  await page.keyboard.type('二')
  const text = [
    { kind: 'heading', runs: [{ text: 'ご案内' }] },
    { kind: 'paragraph', runs: [{ text: '本文' }, { text: '太い', bold: true }, { text: '\n次の行' }] },
    { kind: 'numbered list', items: [[{ text: '一' }], [{ text: '二' }]] },
  ]
  await expect.poll(() => readText(page)).toEqual(text)
  await tool(page, '小見出し').click()
  await expect
    .poll(async () => (await readText(page)).slice(2))
    .toEqual([
      { kind: 'numbered list', items: [[{ text: '一' }]] },
      { kind: 'subheading', runs: [{ text: '二' }] },
    ])
  await tool(page, '小見出し').click()
  await expect.poll(async () => (await readText(page)).at(-1)).toEqual({ kind: 'paragraph', runs: [{ text: '二' }] })
  while ((await tool(page, '元に戻す').getAttribute('aria-disabled')) === null) await tool(page, '元に戻す').click()
  expect(await readText(page)).toEqual([])
  await page.keyboard.press('ControlOrMeta+y')
  await expect.poll(async () => (await readText(page)).length).toBeGreaterThan(0)
  for (const [key, tag] of [
    ['i', 'i, em'],
    ['u', 'u'],
    ['Shift+7', 's'],
    ['d', 'code, pre'],
    [']', 'blockquote'],
  ]) {
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press(`ControlOrMeta+${key}`)
    await expect(paper(page).locator(`${tag}`)).toHaveCount(0)
  }
})

test('adds, changes and removes a link on selected text', async ({ page }) => {
  await openEditor(page, [{ kind: 'paragraph', runs: [{ text: '詳しくは店舗案内' }] }])
  for (let count = 0; count < 4; count += 1) await page.keyboard.press('Shift+ArrowLeft')
  await tool(page, 'リンク').press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('アドレス')).toBeFocused()
  await page.keyboard.type('javascript:alert(1)')
  await page.keyboard.press('Enter')
  await expect(
    dialog.getByText('リンクは https:// などで始まるアドレスか、このサイトのページを入力してください'),
  ).toBeVisible()
  await dialog.getByLabel('アドレス').fill('example.com')
  await expect(dialog.getByText('「https://example.com」ではありませんか')).toBeVisible()
  await dialog.getByLabel('アドレス').fill('/infomation')
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(paper(page)).toBeFocused()
  const linked = (href: string) => [{ kind: 'paragraph', runs: [{ text: '詳しくは' }, { text: '店舗案内', href }] }]
  await expect.poll(() => readText(page)).toEqual(linked('/infomation'))
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await expect(tool(page, 'リンク')).toHaveAttribute('aria-pressed', 'true')
  await tool(page, 'リンク').click()
  await expect(dialog.getByLabel('アドレス')).toHaveValue('/infomation')
  await dialog.getByLabel('アドレス').fill('https://example.com/')
  await dialog.getByRole('button', { name: 'リンクにする' }).click()
  await expect.poll(() => readText(page)).toEqual(linked('https://example.com/'))
  await tool(page, 'リンク').click()
  await dialog.getByRole('button', { name: 'リンクを外す' }).click()
  await expect.poll(() => readText(page)).toEqual([{ kind: 'paragraph', runs: [{ text: '詳しくは店舗案内' }] }])
  await tool(page, 'リンク').click()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  expect(await page.title()).toBe('文章')
})

test('inserts, describes and removes an image', async ({ page }) => {
  await openEditor(page, [{ kind: 'paragraph', runs: [{ text: '前' }] }])
  await tool(page, '写真').press('Enter')
  await page.keyboard.type('後')
  const getExpectedText = (alt: string) => [
    { kind: 'paragraph', runs: [{ text: '前' }] },
    { kind: 'picture', url: '/pictures/abc-800.jpg', alt },
    { kind: 'paragraph', runs: [{ text: '後' }] },
  ]
  await expect.poll(() => readText(page)).toEqual(getExpectedText('朝の暖簾'))
  await page.getByRole('button', { name: '写真「朝の暖簾」を変える' }).press('Enter')
  await page.getByLabel('写真の説明').fill('夕方の暖簾')
  await page.keyboard.press('Enter')
  await expect.poll(() => readText(page)).toEqual(getExpectedText('夕方の暖簾'))
  await page.getByRole('button', { name: '写真「夕方の暖簾」を変える' }).click()
  await page.getByRole('button', { name: '写真を外す' }).click()
  await expect.poll(async () => (await readText(page)).length).toBe(2)
  await tool(page, '元に戻す').click()
  await expect.poll(() => readText(page)).toEqual(getExpectedText('夕方の暖簾'))
})

test('makes a list of selected paragraphs, but not of the images between the paragraphs', async ({ page }) => {
  const image = { kind: 'picture' as const, url: '/pictures/abc-800.jpg', alt: '朝の暖簾' }
  const paragraph = (text: string) => ({ kind: 'paragraph' as const, runs: [{ text }] })
  const text = [paragraph('一'), image, paragraph('二'), paragraph('三')]
  await openEditor(page, text)
  await page.keyboard.press('ControlOrMeta+a')
  await tool(page, '箇条書き').click()
  await expect
    .poll(() => readText(page))
    .toEqual([
      { kind: 'list', items: [[{ text: '一' }]] },
      image,
      { kind: 'list', items: [[{ text: '二' }], [{ text: '三' }]] },
    ])
  await expect(page.getByRole('button', { name: '写真「朝の暖簾」を変える' })).toBeVisible()
  await tool(page, '元に戻す').click()
  await expect.poll(() => readText(page)).toEqual(text)
})

test('links the whole selection when it begins in another link', async ({ page }) => {
  await openEditor(page, [{ kind: 'paragraph', runs: [{ text: '店', href: '/dining' }, { text: 'と地図' }] }])
  await page.keyboard.press('ControlOrMeta+a')
  await tool(page, 'リンク').click()
  await page.getByRole('dialog').getByLabel('アドレス').fill('/access')
  await page.keyboard.press('Enter')
  await expect
    .poll(() => readText(page))
    .toEqual([{ kind: 'paragraph', runs: [{ text: '店と地図', href: '/access' }] }])
})

test('links a selection to a pasted URL, but only if the link can be stored', async ({ page }) => {
  for (const [url, runs] of [
    ['https://example.jp/a', [{ text: '地図', href: 'https://example.jp/a' }]],
    ['ftp://example.jp/a', [{ text: 'ftp://example.jp/a' }]],
    [`https://example.jp/${'a'.repeat(2000)}`, [{ text: `https://example.jp/${'a'.repeat(2000)}` }]],
  ] as const) {
    await openEditor(page, [{ kind: 'paragraph', runs: [{ text: '地図' }] }])
    await page.keyboard.press('ControlOrMeta+a')
    await paste(paper(page), { 'text/plain': url })
    await expect.poll(() => readText(page), url).toEqual([{ kind: 'paragraph', runs }])
    expect(await paper(page).locator('a').count(), url).toBe(url === 'https://example.jp/a' ? 1 : 0)
  }
})

test('names an image without a description', async ({ page }) => {
  await openEditor(page, [{ kind: 'picture', url: '/pictures/abc-800.jpg', alt: '' }])
  await expect(page.getByRole('button', { name: '説明のない写真を変える' })).toBeVisible()
})

test('refuses a dropped file with a notice', async ({ page }) => {
  await openEditor(page)
  const isCancelled = await paper(page).evaluate((element) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], 'photo.jpg', { type: 'image/jpeg' }))
    return !element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  })
  expect(isCancelled).toBe(true)
  await expect(page.getByText('写真は貼り付けられません。「写真」のボタンから追加してください。')).toBeVisible()
})

test('keeps the formats of an unchanged text until the script of the editor has loaded', async ({ page }) => {
  const text = [{ kind: 'paragraph' as const, runs: [{ text: '太い', bold: true as const }, { text: '文字' }] }]
  const release = await delayRequests(page, /text-editor.*\.js/)
  await page.goto(`/?text=${encodeURIComponent(JSON.stringify(text))}`)
  await expect(paper(page)).toHaveValue('太い文字')
  expect(await readText(page)).toEqual(text)
  await paper(page).fill('細い文字')
  await expect.poll(() => readText(page)).toEqual([{ kind: 'paragraph', runs: [{ text: '細い文字' }] }])
  await paper(page).fill('太い文字')
  await expect.poll(() => readText(page)).toEqual(text)
  release()
  await expect(paper(page).locator('b')).toHaveText('太い')
})

test('takes the focus of the textarea when the script of the editor has loaded', async ({ page }) => {
  const release = await delayRequests(page, /text-editor.*\.js/)
  await page.goto('/')
  await paper(page).focus()
  await page.keyboard.type('一行目')
  release()
  await expect(paper(page)).toHaveAttribute('contenteditable')
  await expect(paper(page)).toBeFocused()
  await page.keyboard.type('の続き')
  await expect.poll(() => readText(page)).toEqual([{ kind: 'paragraph', runs: [{ text: '一行目の続き' }] }])
})

test('leaves IME input unchanged until the composition ends', async ({ page }) => {
  await openEditor(page)
  const client = await page.context().newCDPSession(page)
  await client.send('Input.imeSetComposition', { text: 'きょう', selectionStart: 3, selectionEnd: 3 })
  await client.send('Input.imeSetComposition', { text: '今日', selectionStart: 2, selectionEnd: 2 })
  await client.send('Input.insertText', { text: '今日' })
  await client.send('Input.imeSetComposition', { text: 'は', selectionStart: 1, selectionEnd: 1 })
  await client.send('Input.insertText', { text: 'は' })
  await page.keyboard.press('Enter')
  await client.send('Input.imeSetComposition', { text: 'はれ', selectionStart: 2, selectionEnd: 2 })
  await client.send('Input.insertText', { text: '晴れ' })
  await expect
    .poll(() => readText(page))
    .toEqual([
      { kind: 'paragraph', runs: [{ text: '今日は' }] },
      { kind: 'paragraph', runs: [{ text: '晴れ' }] },
    ])
})

test('ignores composition keys that Safari reports after the composition', async ({ page }) => {
  await openEditor(page, [
    { kind: 'paragraph', runs: [{ text: '前' }] },
    { kind: 'paragraph', runs: [{ text: '後' }] },
  ])
  await page.keyboard.press('Home')
  await paper(page).dispatchEvent('keydown', { key: 'Backspace', keyCode: 229, bubbles: true, cancelable: true })
  await expect(paper(page).locator('p')).toHaveText(['前', '後'])
  await page.keyboard.press('End')
  await tool(page, 'リンク').click()
  const address = page.getByRole('dialog').getByLabel('アドレス')
  await address.fill('/dining')
  await address.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true })
  await expect(page.getByRole('dialog')).toBeVisible()
  await address.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(paper(page).locator('a')).toHaveCount(1)
})

test('shows large buttons on a phone, clear of the edited line', async ({ openPage }) => {
  const page = await openPage({ viewport: phone, hasTouch: true })
  const line = { kind: 'paragraph' as const, runs: [{ text: '一行' }] }
  await openEditor(
    page,
    Array.from({ length: 40 }, () => line),
  )
  for (const button of await page.getByRole('group', { name: '文章の書式' }).getByRole('button').all()) {
    const box = await button.boundingBox()
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44)
    expect(box?.y).toBeGreaterThanOrEqual(0)
  }
  await page.keyboard.press('ControlOrMeta+Home')
  for (let count = 0; count < 30; count += 1) await page.keyboard.press('ArrowDown')
  for (let count = 0; count < 20; count += 1) await page.keyboard.press('ArrowUp')
  const lies = await page.evaluate(() => {
    const tools = document.querySelector('[role=group]')?.getBoundingClientRect()
    const caret = getSelection()?.getRangeAt(0).startContainer.parentElement?.getBoundingClientRect()
    return { bottom: tools?.bottom ?? 0, top: caret?.top ?? 0 }
  })
  expect(lies.top).toBeGreaterThanOrEqual(lies.bottom)
})

test('moves the focus out of the field on Tab, and sends the text with the form', async ({ page }) => {
  await openEditor(page)
  await page.keyboard.type('届く')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: '保存する' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveTitle('sent [{"kind":"paragraph","runs":[{"text":"届く"}]}]')
})
