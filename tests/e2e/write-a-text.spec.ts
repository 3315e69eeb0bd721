import type { Page } from '@playwright/test'
import type { Text } from '../../app/pages/text.ts'
import type { ParsedText } from '../../app/pages/text-from-html.ts'
import { paste } from './text-harness/paste.ts'
import { pastes } from './text-harness/pastes.ts'
import { startHarness } from './text-harness/start-harness.ts'
import { expect, phone, test as visiting } from './visitors.ts'

const test = visiting.extend({ site: async ({ keep }, use) => use(await keep('text harness', startHarness)) })

const paper = (page: Page) => page.getByRole('textbox', { name: '文章' })
const tool = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const written = async (page: Page): Promise<Text> => JSON.parse(await page.locator('input[name=body]').inputValue())

async function begin(page: Page, text: Text = []) {
  await page.goto(`/?text=${encodeURIComponent(JSON.stringify(text))}`)
  await expect(paper(page)).toHaveAttribute('contenteditable')
  await paper(page).focus()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.press('End')
}

const textInHtml = (page: Page, html: string) =>
  page.evaluate((given) => (window as unknown as { textInHtml: (html: string) => ParsedText }).textInHtml(given), html)

for (const [name, { html, text, losses }] of Object.entries(pastes)) {
  test(`what ${name} puts on the clipboard is its words, and asks for nothing`, async ({ page }) => {
    await begin(page)
    expect(await textInHtml(page, html)).toEqual({ text, losses })
    await paste(paper(page), { 'text/html': html, 'text/plain': 'not this' })
    await expect.poll(() => written(page)).toEqual(text)
    expect(await page.evaluate(() => (window as { ran?: number }).ran)).toBeUndefined()
    const strange = paper(page).locator(
      ':not(p, h2, h3, ul, ol, li, b, a, br, div, figure, img), [style], [class], [onclick]',
    )
    await expect(strange).toHaveCount(0)
    const notice = page.getByText('写真は貼り付けられません')
    await expect(notice).toHaveCount(losses.join().includes('picture') ? 1 : 0)
    await paper(page).focus()
    await page.keyboard.type('あ')
    await expect(notice).toHaveCount(0)
  })
}

test('pastes three hundred paragraphs, and refuses six hundred and one', async ({ page }) => {
  await begin(page, [{ kind: 'paragraph', runs: [{ text: '前から' }] }])
  const paragraphs = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => `<p class=MsoNormal style='mso-x:y'><span lang=JA>${at}番</span></p>`,
    ).join('')
  await page.keyboard.press('ControlOrMeta+a')
  await paste(paper(page), { 'text/html': paragraphs(5000), 'text/plain': 'x' })
  await expect(page.getByText('貼り付ける文章が長すぎます。600段落までに分けて、貼り付けてください。')).toBeVisible()
  expect(await written(page)).toEqual([{ kind: 'paragraph', runs: [{ text: '前から' }] }])
  await paste(paper(page), { 'text/plain': 'x\n'.repeat(601) })
  await expect(page.getByText('貼り付ける文章が長すぎます')).toBeVisible()
  expect(await written(page)).toHaveLength(1)
  await paste(paper(page), { 'text/html': paragraphs(300) })
  await expect.poll(async () => (await written(page)).length).toBe(300)
  await paste(paper(page), { 'text/html': paragraphs(400) })
  await expect(page.getByText('文章は、段落と箇条書きの行を合わせて600までです')).toBeVisible()
  await tool(page, '元に戻す').click()
  await expect.poll(async () => (await written(page)).length).toBe(300)
  await tool(page, '元に戻す').click()
  await expect.poll(() => written(page)).toEqual([{ kind: 'paragraph', runs: [{ text: '前から' }] }])
})

test('a text is written by buttons, and taken back and put back', async ({ page }) => {
  await begin(page)
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
  await tool(page, '番号つき').click()
  await page.keyboard.press('Enter')
  await page.keyboard.type('二')
  const text = [
    { kind: 'heading', runs: [{ text: 'ご案内' }] },
    { kind: 'paragraph', runs: [{ text: '本文' }, { text: '太い', bold: true }, { text: '\n次の行' }] },
    { kind: 'numbered list', items: [[{ text: '一' }], [{ text: '二' }]] },
  ]
  await expect.poll(() => written(page)).toEqual(text)
  await tool(page, '小見出し').click()
  await expect
    .poll(async () => (await written(page)).slice(2))
    .toEqual([
      { kind: 'numbered list', items: [[{ text: '一' }]] },
      { kind: 'subheading', runs: [{ text: '二' }] },
    ])
  await tool(page, '小見出し').click()
  await expect.poll(async () => (await written(page)).at(-1)).toEqual({ kind: 'paragraph', runs: [{ text: '二' }] })
  while ((await tool(page, '元に戻す').getAttribute('aria-disabled')) === null) await tool(page, '元に戻す').click()
  expect(await written(page)).toEqual([])
  await page.keyboard.press('ControlOrMeta+y')
  await expect.poll(async () => (await written(page)).length).toBeGreaterThan(0)
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

test('a link is put on marked words, changed, and taken off, all by keyboard', async ({ page }) => {
  await begin(page, [{ kind: 'paragraph', runs: [{ text: '詳しくは店舗案内' }] }])
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
  await expect.poll(() => written(page)).toEqual(linked('/infomation'))
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await expect(tool(page, 'リンク')).toHaveAttribute('aria-pressed', 'true')
  await tool(page, 'リンク').click()
  await expect(dialog.getByLabel('アドレス')).toHaveValue('/infomation')
  await dialog.getByLabel('アドレス').fill('https://example.com/')
  await dialog.getByRole('button', { name: 'リンクにする' }).click()
  await expect.poll(() => written(page)).toEqual(linked('https://example.com/'))
  await tool(page, 'リンク').click()
  await dialog.getByRole('button', { name: 'リンクを外す' }).click()
  await expect.poll(() => written(page)).toEqual([{ kind: 'paragraph', runs: [{ text: '詳しくは店舗案内' }] }])
  await tool(page, 'リンク').click()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  expect(await page.title()).toBe('文章')
})

test('a picture is put in, described, and taken out, without a mouse', async ({ page }) => {
  await begin(page, [{ kind: 'paragraph', runs: [{ text: '前' }] }])
  await tool(page, '写真').press('Enter')
  await page.keyboard.type('後')
  const around = (alt: string) => [
    { kind: 'paragraph', runs: [{ text: '前' }] },
    { kind: 'picture', url: '/pictures/abc-800.jpg', alt },
    { kind: 'paragraph', runs: [{ text: '後' }] },
  ]
  await expect.poll(() => written(page)).toEqual(around('朝の暖簾'))
  await page.getByRole('button', { name: '写真「朝の暖簾」を変える' }).press('Enter')
  await page.getByLabel('写真の説明').fill('夕方の暖簾')
  await page.keyboard.press('Enter')
  await expect.poll(() => written(page)).toEqual(around('夕方の暖簾'))
  await page.getByRole('button', { name: '写真「夕方の暖簾」を変える' }).click()
  await page.getByRole('button', { name: '写真を外す' }).click()
  await expect.poll(async () => (await written(page)).length).toBe(2)
  await tool(page, '元に戻す').click()
  await expect.poll(() => written(page)).toEqual(around('夕方の暖簾'))
})

test('what is composed is left alone until it is there', async ({ page }) => {
  await begin(page)
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
    .poll(() => written(page))
    .toEqual([
      { kind: 'paragraph', runs: [{ text: '今日は' }] },
      { kind: 'paragraph', runs: [{ text: '晴れ' }] },
    ])
})

test('leaves keys of a composition alone that Safari reports after the composition', async ({ page }) => {
  await begin(page, [
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

test('keeps the buttons of a phone large and off the written line', async ({ openPage }) => {
  const page = await openPage({ viewport: phone, hasTouch: true })
  const line = { kind: 'paragraph' as const, runs: [{ text: '一行' }] }
  await begin(
    page,
    Array.from({ length: 40 }, () => line),
  )
  for (const button of await page.getByRole('group', { name: '文章の整え方' }).getByRole('button').all()) {
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

test('Tab leaves the field, and the form sends what is written', async ({ page }) => {
  await begin(page)
  await page.keyboard.type('届く')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: '保存する' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveTitle('sent [{"kind":"paragraph","runs":[{"text":"届く"}]}]')
})
