import { z } from 'zod'
import { saveSettings } from '../../app/records/settings-record.server.ts'
import { imagesIn } from '../../app/translations/translation.ts'
import { translationsOf } from '../../app/translations/translation-record.server.ts'
import { readTranslations } from '../../app/translations/translations.server.ts'
import { cleanText } from '../../app/ui/typed-text.ts'
import { type DocumentType, importEach } from './import-reading.ts'

const ID = /^([a-z]{2,3}(?:-\w{2,8})*):([\w-]{1,64})$/
const text = z.string().overwrite(cleanText)
const ExportedTranslations = z.record(z.string(), z.object({ text, source: z.string(), at: z.iso.datetime() }))

/** Import of translations. A translation that this site already has stays. */
export const translationImport: DocumentType = {
  imagesOf: ({ fields }) => imagesIn(JSON.stringify(fields)).map((url) => ({ url, box: 'screen' })),
  importAll: importEach(async ({ trx, author, storeImage }, { id, fields }, note) => {
    const [, language = '', group = ''] = ID.exec(id) ?? []
    const read = ExportedTranslations.safeParse(fields)
    if (!read.success || !group) return '翻訳として取り込めません。元の文書だけを保存します。'
    const { version, translations } = await readTranslations(trx, language, group)
    for (const translation of Object.values(read.data))
      translation.text = await replaceImages(translation.text, (url) => storeImage(url, note))
    const facts = { ...read.data, ...translations }
    await saveSettings(trx, translationsOf(language, group), { version, facts }, author)
    return true
  }),
}

// Each image has a line of its own. If an image cannot be imported, its line is removed.
async function replaceImages(text: string, store: (url: string) => Promise<string>) {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const [url] = imagesIn(line)
    const stored = url && (await store(url))
    if (stored !== '') lines.push(url && stored ? line.replace(url, stored) : line)
  }
  return lines.join('\n')
}
