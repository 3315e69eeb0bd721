/** Translation of a text. `source` is the Japanese text that was translated at `at` (ISO 8601 in UTC). */
export type Translation = { text: string; source: string; at: string }

/** Translations of a group, by record and field: `ID.title`. */
export type Translations = Record<string, Translation>

/** Returns the URLs of the images in a translated text, which contains them as `［写真 URL 説明］`. */
export function imagesIn(text: string): string[] {
  return text.match(/\/pictures\/[\w-]+\.jpg/g) ?? []
}

/** The groups with the same rights as the calendar. Other groups are `site`, `pages` and the collections of cards. */
export function isCalendarGroup(group: string) {
  return ['days', 'events', 'notices'].includes(group)
}

/** How a field of a record is translated. */
export type TextField<Value> = {
  label: string
  /** Maximum length of the Japanese text in characters. Its translation may be twice as long. */
  most: number
  /** Returns the Japanese text. An empty text needs no translation. */
  read(value: Value): string
  /** Returns the value of the field in the other language. */
  write(text: string, value: Value): Value
  /** Returns why a translation does not fit the value, in Japanese. Returns null if the translation fits. */
  refusal?(text: string, value: Value): string | null
  /** Whether guests see the date of a translation that is older than the Japanese text, as with prices and hours. */
  isDated?: true
}

// biome-ignore lint/suspicious/noExplicitAny: each field reads only its own values
export type TextFields = Record<string, TextField<any>>

export function textField(label: string, most: number, options: { isDated?: true } = {}): TextField<string> {
  return { label, most, read: (value) => value, write: (text) => text, ...options }
}

/** Whether a text with this maximum length may have several lines. */
export function isLong(most: number) {
  return most >= 400
}

export const keyOf = (id: string, name: string) => `${id}.${name}`

/** Returns the field name of the Japanese text that the editor translated or confirmed. */
export const sourceOf = (key: string) => `${key}.source`
