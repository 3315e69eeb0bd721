const MAX_OCTETS = 75

/** Joins content lines, each folded at 75 octets and ended with CRLF (RFC 5545 §3.1). */
export function formatContentLines(lines: string[]) {
  return `${lines.map(foldLine).join('\r\n')}\r\n`
}

/** Escapes a value of type TEXT (RFC 5545 §3.3.11) and removes control characters except tabs. */
export function escapeText(text: string) {
  return text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/(?!\t)\p{Cc}/gu, '')
}

function foldLine(line: string) {
  // A UTF-16 unit takes at most three octets in UTF-8.
  if (line.length * 3 <= MAX_OCTETS || Buffer.byteLength(line) <= MAX_OCTETS) return line
  const parts: string[] = []
  let start = 0
  let octets = 0
  for (let index = 0; index < line.length; ) {
    const code = line.codePointAt(index) ?? 0
    const characterOctets = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (octets + characterOctets > MAX_OCTETS) {
      parts.push(line.slice(start, index))
      start = index
      // The leading space of a continuation line.
      octets = 1
    }
    octets += characterOctets
    index += characterOctets === 4 ? 2 : 1
  }
  return [...parts, line.slice(start)].join('\r\n ')
}
