const MAX_OCTETS = 75

/** Joins content lines, each folded at 75 octets and ended with CRLF (RFC 5545 §3.1). */
export function icalendar(lines: string[]) {
  return `${lines.map(folded).join('\r\n')}\r\n`
}

/** Escapes a value of type TEXT (RFC 5545 §3.3.11) and removes control characters except tabs. */
export function textValue(text: string) {
  return text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/(?!\t)\p{Cc}/gu, '')
}

function folded(line: string) {
  // A UTF-16 unit takes at most three octets in UTF-8.
  if (line.length * 3 <= MAX_OCTETS || Buffer.byteLength(line) <= MAX_OCTETS) return line
  const parts: string[] = []
  let start = 0
  let octets = 0
  for (let at = 0; at < line.length; ) {
    const code = line.codePointAt(at) ?? 0
    const more = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (octets + more > MAX_OCTETS) {
      parts.push(line.slice(start, at))
      start = at
      // The leading space of a continuation line.
      octets = 1
    }
    octets += more
    at += more === 4 ? 2 : 1
  }
  return [...parts, line.slice(start)].join('\r\n ')
}
