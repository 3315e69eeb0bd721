import { AsyncLocalStorage } from 'node:async_hooks'
import english from './en.json' with { type: 'json' }
import { japanese, type Language, setLanguageReader } from './language.ts'

/** The languages other than Japanese. */
export const languages = [{ ...english, code: 'en' }]

const current = new AsyncLocalStorage<Language>()
setLanguageReader(() => current.getStore() ?? japanese)

export function runInLanguage<Result>(language: Language | null, work: () => Result): Result {
  return language ? current.run(language, work) : work()
}

/**
 * Returns the language of a path like `/en/dining`, or undefined if the path has no prefix of a language. The router
 * requests the data of the English home page at `/en.data`.
 */
export function languageAt(pathname: string) {
  return languages.find(({ code }) => `${pathname.replace(/\.data$/, '')}/`.startsWith(`/${code}/`))
}
