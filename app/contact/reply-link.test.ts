import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { replyLink } from './reply-link.ts'

/** Returns the recipient and the fields that a mail program reads from a `mailto:` URL (RFC 6068). */
function parseReplyLink(link: string) {
  const [, to = '', query = ''] = /^mailto:([^?]+)\?(.*)$/s.exec(link) ?? []
  const fields = query.split('&').map((field) => field.split('=').map(decodeURIComponent))
  return { to: decodeURIComponent(to), fields: fields.map(([name]) => name), ...Object.fromEntries(fields) }
}
const message = { replyTo: 'hana@example.jp', subject: '席', text: '五名で', shop: '暖簾' }

describe('replyLink', () => {
  test('sets the recipient, the subject and the quoted message of a reply', () => {
    expect(parseReplyLink(replyLink({ ...message, text: '一\n\n> 二\n&body=三' }))).toEqual({
      to: 'hana@example.jp',
      fields: ['subject', 'body'],
      subject: 'Re: 席（暖簾）',
      body: '\r\n\r\n> 一\r\n> \r\n> > 二\r\n> &body=三',
    })
    expect(replyLink({ ...message, text: '一\n二' })).toMatch(/body=%0D%0A%0D%0A%3E%20%E4%B8%80%0D%0A%3E%20%E4%BA%8C$/)
    expect(replyLink({ ...message, replyTo: "o'k?&=%40/a+b@example.jp" })).toMatch(/^mailto:o'k%3F%26%3D%2540%2Fa%2Bb@/)
  })

  test('truncates a long message between two characters', () => {
    const long = parseReplyLink(replyLink({ ...message, text: '長いお便り。\n'.repeat(400) }))
    expect(long.body).toMatch(/^\r\n\r\n> 長いお便り。\r\n> 長い[^…]*…$/)
    expect(long.body.length).toBeGreaterThan(150)
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 400, size: 'max' }),
      fc
        .array(fc.constantFrom('👨‍👩‍👧‍👦', 'が', '\n', '𠮷', 'a', '%', `e${'\u0301'.repeat(3000)}`), {
          maxLength: 900,
          size: 'max',
        })
        .map((all) => all.join('')),
    )
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 64 }), (subject, text, local) => {
        const replyTo = `${'%'.repeat(local)}@${'a.'.repeat(90)}jp`
        const link = replyLink({ replyTo, subject: subject.replaceAll('\n', ''), text, shop: '暖'.repeat(40) })
        expect(link.length).toBeLessThanOrEqual(1900)
        expect(link).toMatch(/^[\w:@.%?=&\-!~*'()]+$/)
        const { to, body } = parseReplyLink(link)
        expect(to).toBe(replyTo)
        expect(body).not.toContain('\ufffd')
        const quoted = `\r\n\r\n${text
          .split('\n')
          .map((line) => `> ${line}`)
          .join('\r\n')}`
        expect(body.endsWith('…') ? quoted.startsWith(body.slice(0, -1)) : body === quoted).toBe(true)
      }),
      { seed: 7 },
    )
  })
})
