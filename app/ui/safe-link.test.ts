import { describe, expect, test } from 'vitest'
import { safeLink } from './safe-link.ts'

describe('safeLink', () => {
  test.each([
    ['https://example.jp/a?b=c', true],
    ['http://example.jp', true],
    ['mailto:owner@example.jp', true],
    ['tel:075-000-0000', true],
    ['/dining', false],
    ['/dining?x=1#y', false],
    ['#top', false],
  ])('accepts %s', (url, elsewhere) => {
    expect(safeLink(url)?.elsewhere).toBe(elsewhere)
  })

  test.each([
    '',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'java\tscript:alert(1)',
    ' javascript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.jp/1',
    '//elsewhere.example',
    '/\\elsewhere.example',
    '\\\\elsewhere.example',
    '/ok\r\nset-cookie: a=b',
    'https:/\u0000/example.jp',
    'dining',
    'http://',
  ])('returns null for %j', (url) => {
    expect(safeLink(url)).toBeNull()
  })
})

const controls = [...Array.from({ length: 0x21 }, (_, code) => String.fromCharCode(code)), '\u007f']

test.each(['/a%b', '#a%b', 'https://example.jp/a%b', 'mailto:a%b@example.jp', 'tel:075%000'])(
  'rejects control characters, spaces and backslashes within %s',
  (url) => {
    expect(safeLink(url.replace('%', ''))).not.toBeNull()
    for (const character of [...controls, '\\'])
      expect(safeLink(url.replace('%', character)), JSON.stringify(character)).toBeNull()
  },
)
