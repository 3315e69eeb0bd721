import { graphemes } from '../ui/characters.ts'

// Windows passes URLs of at most about 2,000 characters to a mail program.
const MOST = 1900
const MAX_OF_SUBJECT = 600

type Answered = { replyTo: string; subject: string; text: string; shop: string }

/** Returns a `mailto:` URL (RFC 6068) for a reply, which quotes as much of the message as fits. */
export function replyLink({ replyTo, subject, text, shop }: Answered) {
  const to = encodeURIComponent(replyTo).replace('%40', '@')
  const about = encodedWithin(`Re: ${subject}`, MAX_OF_SUBJECT) + encodedWithin(`（${shop}）`, MAX_OF_SUBJECT)
  const start = `mailto:${to}?subject=${about}&body=`
  const quoted = text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\r\n')
  return start + encodedWithin(`\r\n\r\n${quoted}`, MOST - start.length)
}

// Percent-encodes as much of the text as fits, without splitting characters. An ellipsis marks a cut.
function encodedWithin(text: string, most: number) {
  const whole = encodeURIComponent(text)
  if (whole.length <= most) return whole
  const cut = encodeURIComponent('…')
  let fits = ''
  for (const character of graphemes(text.slice(0, most))) {
    const next = encodeURIComponent(character.toWellFormed())
    if (fits.length + next.length + cut.length > most) break
    fits += next
  }
  return fits + cut
}
