import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { parsePlainText, plainTextOf } from './plain-text.ts'
import { type Text, textBeginning } from './text.ts'
import TextField from './text-field.tsx'
import { readText, textSchema } from './text-schema.ts'
import { TextView } from './text-view.tsx'

const unreadable = '文章を読み取れませんでした。画面を再読み込みして、もう一度お試しください。'
const paragraph = (text: string) => ({ kind: 'paragraph', runs: [{ text }] })
const read = (value: unknown) => readText(JSON.stringify(value))
const shown = (text: Text) => renderToStaticMarkup(createElement(MemoryRouter, null, createElement(TextView, { text })))

const fullText: Text = [
  { kind: 'heading', runs: [{ text: 'ご案内' }] },
  { kind: 'paragraph', runs: [{ text: '京都の' }, { text: '食堂', bold: true }, { text: 'です。\n二行目' }] },
  { kind: 'subheading', runs: [{ text: 'お席' }] },
  { kind: 'list', items: [[{ text: 'カウンター' }], [{ text: '座敷' }]] },
  { kind: 'numbered list', items: [[{ text: '電話をする' }], [{ text: '来る' }]] },
  { kind: 'picture', url: '/pictures/abc-800.jpg', alt: '朝の暖簾' },
  {
    kind: 'paragraph',
    runs: [
      { text: 'お店', href: 'https://example.jp/' },
      { text: '、' },
      { text: 'お料理', href: '/dining' },
      { text: '、' },
      { text: '電話', href: 'tel:075-000-0000' },
    ],
  },
]

test('parses the JSON of the editor without changes', () => {
  expect(read(fullText)).toEqual({ text: fullText })
  expect(readText('')).toEqual({ text: [] })
  expect(readText('[]')).toEqual({ text: [] })
  expect(textSchema.parse(undefined)).toEqual([])
})

test.each([
  [{ kind: 'script', runs: [] }],
  [{ kind: 'html', html: '<b>' }],
  [{ kind: 'paragraph' }],
  [{ kind: 'paragraph', runs: 'x' }],
  [{ kind: 'paragraph', runs: [null] }],
  [{ kind: 'paragraph', runs: [{ text: 1 }] }],
  [{ kind: 'paragraph', runs: [{ text: 'x', bold: 'yes' }] }],
  [{ kind: 'list', items: [{ text: 'x' }] }],
  [{ kind: ['paragraph'], runs: [] }],
  [{ kind: '__proto__', runs: [] }],
])('rejects the whole text when the text contains the block %j', (block) => {
  expect(read([paragraph('良い'), block])).toEqual({ refusal: unreadable })
})

test('rejects JSON that is truncated or nested too deeply', () => {
  expect(readText('[{"kind":"paragraph"')).toEqual({ refusal: unreadable })
  const deep = `[{"kind":"paragraph","runs":${'['.repeat(200_000)}${']'.repeat(200_000)}}]`
  expect(readText(deep)).toEqual({ refusal: unreadable })
})

test('drops unknown keys, also __proto__ and constructor', () => {
  const sent =
    '[{"kind":"paragraph","__proto__":{"polluted":1},"onclick":"x","runs":[{"text":"あ","style":"x","constructor":{"prototype":{"polluted":1}},"__proto__":{"bold":true}}]}]'
  const { text } = readText(sent)
  expect(JSON.stringify(text)).toBe('[{"kind":"paragraph","runs":[{"text":"あ"}]}]')
  expect(text?.[0]).not.toHaveProperty('polluted')
  expect({}).not.toHaveProperty('polluted')
})

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example/',
  '/\\evil.example',
  '#top',
  '',
  `https://example.jp/${'x'.repeat(2000)}`,
])('rejects and never renders the link target %j', (href) => {
  const sent = [{ kind: 'paragraph', runs: [{ text: 'x', href }] }]
  expect(read(sent).refusal).toMatch(/^リンクは https/)
  expect(shown(sent as Text)).not.toContain('<a')
})

test('suggests https:// when a link has no scheme', () => {
  const { refusal } = read([{ kind: 'paragraph', runs: [{ text: 'x', href: 'example.jp/a' }] }])
  expect(refusal).toBe('アドレスは https:// から入力してください。「https://example.jp/a」ではありませんか。')
})

test.each([
  'https://evil.example/a-800.jpg',
  '//evil.example/a-800.jpg',
  'data:image/png;base64,x',
  '/art/../x-800.jpg',
])('rejects and never renders the image URL %s', (url) => {
  const sent: Text = [{ kind: 'picture', url, alt: '' }]
  expect(read(sent)).toEqual({ refusal: '写真を選び直してください' })
  expect(shown(sent)).not.toContain('<img')
})

test('removes invisible characters and replaces lone surrogates', () => {
  const { text } = read([
    paragraph('あ\0い\u202eう\u2066え\u200bお\ud800か\u0007\u{1F469}\u200d\u{1F373}\r\nき\tく\u00a0け'),
  ])
  expect(text).toEqual([paragraph('あいうえお\ufffdか\u{1F469}\u200d\u{1F373}\nき く け')])
  expect(read([paragraph(' \u3000\u200b\n'), { kind: 'list', items: [[], [{ text: ' ' }]] }])).toEqual({ text: [] })
  expect(read([{ kind: 'heading', runs: [{ text: '見\n出し', bold: true }] }])).toEqual({
    text: [{ kind: 'heading', runs: [{ text: '見 出し' }] }],
  })
})

test('rejects a text with too many rows or characters', () => {
  const rows = (count: number) => Array.from({ length: count }, () => paragraph('あ'))
  expect(read(rows(600)).text).toHaveLength(600)
  const tooManyRows = '文章は、段落と箇条書きの行を合わせて600までです'
  expect(read(rows(601)).refusal).toBe(tooManyRows)
  expect(read([{ kind: 'list', items: Array.from({ length: 601 }, () => [{ text: 'あ' }]) }]).refusal).toBe(tooManyRows)
  expect(readText('あ\n\n'.repeat(601)).refusal).toBe(tooManyRows)
  expect(read([paragraph('あ'.repeat(40_000))]).text).toHaveLength(1)
  const tooLong = '文章は40000文字までです'
  expect(read([paragraph('あ'.repeat(40_001))]).refusal).toBe(tooLong)
  expect(readText('['.repeat(20_000_000)).refusal).toBe(tooLong)
  expect(read([{ kind: 'picture', url: '/pictures/abc-800.jpg', alt: 'あ'.repeat(201) }]).refusal).toBe(
    '写真の説明は200文字までです',
  )
})

test('parses HTML as plain text', () => {
  const html = '<p onclick="x">あ</p><script>alert(1)</script>'
  expect(readText(html)).toEqual({ text: [paragraph(html)] })
  const page = shown([paragraph(html) as Text[number]])
  expect(page).not.toContain('<script')
  expect(page).toContain('&lt;script&gt;')
})

test('renders headings, lists, images and links as HTML elements', () => {
  const page = shown(fullText)
  for (const part of [
    '<h2>ご案内</h2>',
    '<strong>食堂</strong>',
    '<h3>お席</h3>',
    '<ul><li>カウンター</li>',
    '<ol><li>電話をする</li>',
    'src="/pictures/abc-800.jpg"',
    '<a href="https://example.jp/" target="_blank" rel="noopener noreferrer"><span>お店',
    'href="/dining"',
    '<a href="tel:075-000-0000"><span>電話</span></a>',
  ]) {
    expect(page).toContain(part)
  }
  expect(page).not.toContain('style=')
})

test('preserves a text that is converted to plain text and parsed again', () => {
  const typed =
    '■ご案内\n\n京都の食堂です。\r\n二行目\r\n\r\n# 見出し\n本文 https://example.jp/a?b=c。\n- 一\n・二\n1. 甲\n2. 乙\n□小見出し'
  const text = parsePlainText(typed)
  expect(text).toEqual([
    { kind: 'heading', runs: [{ text: 'ご案内' }] },
    { kind: 'paragraph', runs: [{ text: '京都の食堂です。\n二行目' }] },
    { kind: 'heading', runs: [{ text: '見出し' }] },
    {
      kind: 'paragraph',
      runs: [{ text: '本文 ' }, { text: 'https://example.jp/a?b=c', href: 'https://example.jp/a?b=c' }, { text: '。' }],
    },
    { kind: 'list', items: [[{ text: '一' }], [{ text: '二' }]] },
    { kind: 'numbered list', items: [[{ text: '甲' }], [{ text: '乙' }]] },
    { kind: 'subheading', runs: [{ text: '小見出し' }] },
  ])
  expect(parsePlainText(plainTextOf(text))).toEqual(text)
})

test('loses only bold and link labels in the conversion of a text to plain text', () => {
  const plain = plainTextOf(fullText)
  expect(plain).toContain('お店（https://example.jp/）、お料理（/dining）')
  const reparsed = parsePlainText(plain)
  expect(reparsed.map(({ kind }) => kind)).toEqual(fullText.map(({ kind }) => kind))
  expect(reparsed.find(({ kind }) => kind === 'picture')).toEqual(fullText[5])
  expect(plainTextOf(reparsed)).toBe(plain)
})

test('renders a plain textarea with syntax help until the scripts have loaded', () => {
  const field = (defaultValue: string) =>
    renderToStaticMarkup(createElement(TextField, { name: 'body', label: '文章', defaultValue, errors: ['だめです'] }))
  const page = field(JSON.stringify(fullText))
  expect(page).toMatch(/<textarea [^>]*aria-invalid="true"[^>]*name="body"[^>]*>■ご案内\n\n京都の食堂です。\n二行目/)
  expect(page).toContain('■ または # で始まる行は見出し')
  expect(page).toContain('だめです')
  expect(field('打ちかけ\n\n・一')).toContain('>打ちかけ\n\n・一</textarea>')
})

test('shortens a text to a description without splitting a character', () => {
  expect(textBeginning(fullText)).toBe('京都の食堂です。 二行目 お店、お料理、電話')
  expect(textBeginning([{ kind: 'heading', runs: [{ text: '見出し' }] }])).toBe('見出し')
  const long = textBeginning([{ kind: 'paragraph', runs: [{ text: '👩‍🍳'.repeat(200) }] }])
  expect(long).toBe(`${'👩‍🍳'.repeat(109)}…`)
  expect(textBeginning([])).toBe('')
})
