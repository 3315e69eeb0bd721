import type { Day } from './month.ts'

const AHEAD_OF_UTC_MS = 9 * 60 * 60 * 1000 // Japan has had no summer time since 1951.
const MINUTES_A_DAY = 24 * 60

/** Returns the date in Japan at an instant in milliseconds since 1970. */
export function dayInJapan(now: number): Day {
  return new Date(now + AHEAD_OF_UTC_MS).toISOString().slice(0, 10)
}

/** Returns the minute of the day in Japan, 0 to 1439, at an instant in milliseconds since 1970. */
export function minuteInJapan(now: number) {
  return Math.floor((now + AHEAD_OF_UTC_MS) / 60_000) % MINUTES_A_DAY
}

/** Returns the instant, in milliseconds since 1970, that is `minutes` after the start of a day in Japan. */
export function instantInJapan(day: Day, minutes: number) {
  return Date.parse(`${day}T00:00+09:00`) + minutes * 60_000
}

/** Returns the minutes since midnight of a time HH:MM. They exceed 1440 in the night after the day, as of `24:30`. */
export function minutesOf(time: string) {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Returns the time HH:MM of minutes since midnight. */
export function timeOfMinutes(minutes: number) {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

/** Returns the date and time in Japan at an instant in milliseconds since 1970: `2026-11-20T18:05`. */
export function timeInJapan(now: number) {
  return new Date(now + AHEAD_OF_UTC_MS).toISOString().slice(0, 16)
}

/** Formats an instant, in milliseconds since 1970 or ISO 8601, in Japan's time: `2026年11月20日 9:05`. */
export function formatDateAndTime(at: number | string) {
  return new Date(at).toLocaleString('ja-JP', { dateStyle: 'long', timeStyle: 'short', timeZone: 'Asia/Tokyo' })
}

/** Formats an instant (milliseconds since 1970) in Japan's time for a file name: `20261120-033000`. */
export function formatTimestamp(now: number) {
  const inJapan = new Date(now + AHEAD_OF_UTC_MS)
  return inJapan.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
}
