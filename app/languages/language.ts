/** Texts by their Japanese original. A text with a number in `{count}` may have one form per plural category. */
export type Dictionary = Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>

/** Language of guests' pages. `code` is a BCP 47 tag, and `name` is the name in the language itself. */
export type Language = { code: string; name: string; texts: Dictionary }

export const japanese: Language = { code: 'ja', name: '日本語', texts: {} }

let readLanguage = () => japanese

/** Sets the function that returns the language of the current page. */
export function setLanguageReader(read: () => Language) {
  readLanguage = read
}

/** Returns the BCP 47 tag of the current page's language. */
export function languageCode() {
  return readLanguage().code
}

export function isJapanese() {
  return readLanguage() === japanese
}

/** Translates a text of the program, and replaces `{name}` by the value of that name. Unknown texts stay Japanese. */
export function t(text: string, values: Record<string, string | number> = {}) {
  const { code, texts } = readLanguage()
  const entry = texts[text] ?? text
  const form = typeof entry === 'string' ? entry : entry[new Intl.PluralRules(code).select(Number(values.count))]
  return (form ?? text).replace(/\{(\w+)\}/g, (match, name) => String(values[name] ?? match))
}

const JAPANESE = String.raw`[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]`
const japaneseText = new RegExp(JAPANESE, 'u')
// A run includes what stands between Japanese characters, such as digits and punctuation, but no Latin words.
export const japaneseRuns = new RegExp(`(${JAPANESE}(?:[^\\p{Script=Latin}]*${JAPANESE})?[。、）」』〜ー！？]*)`, 'u')

/** Returns the path of a page in a language. `path` is its path in Japanese. */
export function pathIn(code: string, path: string) {
  return code === japanese.code ? path : `/${code}${path === '/' ? '' : path}`
}

/** Returns the value of `lang` for an attribute or element with a Japanese text on a page in another language. */
export function langOf(text: string | undefined) {
  return !isJapanese() && text && japaneseText.test(text) ? japanese.code : undefined
}
