import { addDays, type Day } from '../dates/month.ts'

const MAX_OCTETS = 75

/** Joins content lines. Folds each line at 75 octets and ends each line with CRLF (RFC 5545 §3.1). */
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
  // A UTF-16 code unit has at most three octets in UTF-8, so a short line needs no exact count.
  if (line.length * 3 <= MAX_OCTETS || Buffer.byteLength(line) <= MAX_OCTETS) return line
  let folded = ''
  let octets = 0
  for (const character of line) {
    const characterOctets = Buffer.byteLength(character)
    if (octets + characterOctets > MAX_OCTETS) {
      folded += '\r\n '
      // A continuation line begins with a space, which is its first octet.
      octets = 1
    }
    folded += character
    octets += characterOctets
  }
  return folded
}

/** Components of a calendar with times in Japan: its time zone, which has had no summer time since 1951. */
export const TIME_ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:Asia/Tokyo',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0900',
  'TZOFFSETTO:+0900',
  'TZNAME:JST',
  'END:STANDARD',
  'END:VTIMEZONE',
]

/** Formats a day as 20261120. */
export function formatDate(day: Day) {
  return day.replaceAll('-', '')
}

/** Formats an ISO 8601 time in UTC as 20261120T030000Z. */
export function formatUtc(instant: string) {
  return `${instant.slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** Formats a time in Japan (HH:MM) as the time in UTC. */
export function formatUtcTime(day: Day, time: string) {
  return formatUtc(new Date(`${day}T${time}:00+09:00`).toISOString())
}

export function formatAllDay(day: Day) {
  return [
    `DTSTART;VALUE=DATE:${formatDate(day)}`,
    `DTEND;VALUE=DATE:${formatDate(addDays(day, 1))}`,
    'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE',
  ]
}
