import { graphemes } from '../ui/characters.ts'

// Windows passes only URLs of up to about 2,000 characters to a mail program.
const MAX_URL_LENGTH = 1900
const MAX_SUBJECT_LENGTH = 600

type RepliedMessage = { replyTo: string; subject: string; text: string; shop: string }

/** Returns a `mailto:` URL (RFC 6068) for a reply. The reply quotes as much of the message as the URL can contain. */
export function replyLink({ replyTo, subject, text, shop }: RepliedMessage) {
  const to = encodeURIComponent(replyTo).replace('%40', '@')
  const encodedSubject =
    encodeTruncated(`Re: ${subject}`, MAX_SUBJECT_LENGTH) + encodeTruncated(`（${shop}）`, MAX_SUBJECT_LENGTH)
  const prefix = `mailto:${to}?subject=${encodedSubject}&body=`
  const quoted = text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\r\n')
  return prefix + encodeTruncated(`\r\n\r\n${quoted}`, MAX_URL_LENGTH - prefix.length)
}

// Percent-encodes as much of the text as `maxLength` permits, without splitting characters. An ellipsis marks a cut.
function encodeTruncated(text: string, maxLength: number) {
  const encoded = encodeURIComponent(text)
  if (encoded.length <= maxLength) return encoded
  const ellipsis = encodeURIComponent('…')
  let result = ''
  for (const character of graphemes(text.slice(0, maxLength))) {
    const next = encodeURIComponent(character.toWellFormed())
    if (result.length + next.length + ellipsis.length > maxLength) break
    result += next
  }
  return result + ellipsis
}
