import { describe, expect, test } from 'vitest'
import { mailBody } from './mail-body.ts'

describe('mailBody', () => {
  test('formats the same content as plain text and as HTML when the text contains markup', () => {
    const input = `<b>&lt;b&gt;</b> "五名" & 'ほか'\n二行目`
    const { text, html } = mailBody({ salutation: '桜井 花 様', paragraphs: [input], signature: 'ダイニング結' })
    expect(text).toBe(`桜井 花 様\n\n${input}\n\n-- \nダイニング結\n`)
    const readableHtml = html.replaceAll('<br>', '\n').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    expect(readableHtml).toContain(`<p>${input}</p>`)
    expect(html).not.toContain('<b>')
    expect(html).toContain('&#38;lt;b&#38;gt;')
  })
})
