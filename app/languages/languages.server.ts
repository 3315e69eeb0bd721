import { AsyncLocalStorage } from 'node:async_hooks'
import { japanese, type Language, setLanguageReader } from './language.ts'

type LanguageFile = Omit<Language, 'code'> & {
  /** Label of the language's switch in the settings, in Japanese. */
  switch: string
  /** Sentence that offers a page in the language, and the label of the button that removes the sentence. */
  offer: string
  dismiss: string
}

const files = import.meta.glob<LanguageFile>('./*.json', { eager: true, import: 'default' })

/** The languages other than Japanese. Each is a file of this folder, named by its BCP 47 tag. */
export const languages = Object.entries(files).map(([path, file]) => ({
  ...file,
  code: path.slice(2, -'.json'.length),
}))

const current = new AsyncLocalStorage<Language>()
setLanguageReader(() => current.getStore() ?? japanese)

export function runInLanguage<Result>(language: Language | null, work: () => Result): Result {
  return language ? current.run(language, work) : work()
}

/** Returns the language of a path like `/en/dining`, or undefined if the path has no prefix of a language. */
export function languageAt(pathname: string) {
  return languages.find(({ code }) => `${pathname}/`.startsWith(`/${code}/`))
}
