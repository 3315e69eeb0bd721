import { graphemes } from '../ui/characters.ts'

// Windows hands a mail program no longer address than some 2,000 characters.
const MOST = 1900
const MOST_OF_SUBJECT = 600

type Answered = { replyTo: string; subject: string; text: string; shop: string }

/**
 * The address (RFC 6068) by which one's own mail program begins an answer: to whom, with which subject, and with the message
 * quoted as far as there is room.
 */
export function replyLink({ replyTo, subject, text, shop }: Answered) {
  const to = encodeURIComponent(replyTo).replace('%40', '@')
  const about = encodedWithin(`Re: ${subject}`, MOST_OF_SUBJECT) + encodedWithin(`（${shop}）`, MOST_OF_SUBJECT)
  const start = `mailto:${to}?subject=${about}&body=`
  const quoted = text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\r\n')
  return start + encodedWithin(`\r\n\r\n${quoted}`, MOST - start.length)
}

// As much of the text as fits, percent-encoded, with an ellipsis for the rest; no character is cut apart.
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
