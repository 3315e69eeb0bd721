import { type Language, setLanguageReader } from './language.ts'

const files = import.meta.glob<Omit<Language, 'code'>>('./*.json', { import: 'default' })

/** Loads the texts of the document's language. On Japanese pages, there is nothing to load. */
export async function loadLanguage() {
  const code = document.documentElement.lang
  const load = files[`./${code}.json`]
  if (!load) return
  const language = { ...(await load()), code }
  setLanguageReader(() => language)
}
