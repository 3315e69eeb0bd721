import { z } from 'zod'
import { saveSettings } from '../../app/records/settings-record.server.ts'
import { translationsOf } from '../../app/translations/translation-record.server.ts'
import { readTranslations } from '../../app/translations/translations.server.ts'
import { cleanText } from '../../app/ui/typed-text.ts'
import { type DocumentType, importEach } from './import-reading.ts'

const ID = /^([a-z]{2,3}(?:-\w{2,8})*):([\w-]{1,64})$/
const text = z.string().overwrite(cleanText)
const ExportedTranslations = z.record(z.string(), z.object({ text, source: z.string(), at: z.iso.datetime() }))

/** Import of translations. A translation that this site already has stays. */
export const translationImport: DocumentType = {
  importAll: importEach(async ({ trx, author }, { id, fields }) => {
    const [, language = '', group = ''] = ID.exec(id) ?? []
    const read = ExportedTranslations.safeParse(fields)
    if (!read.success || !group) return '翻訳として取り込めません。元の文書だけを保存します。'
    const { version, translations } = await readTranslations(trx, language, group)
    const facts = { ...read.data, ...translations }
    await saveSettings(trx, translationsOf(language, group), { version, facts }, author)
    return true
  }),
}
