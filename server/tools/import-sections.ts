import { z } from 'zod'
import { displayRules } from '../../app/sections/display-rules.ts'
import { SectionForm, sectionFieldNames } from '../../app/sections/section.ts'
import { readSection, saveSection } from '../../app/sections/sections.server.ts'
import { type DocumentType, importEach, isUsableId, noteUnknownFields } from './import-reading.ts'

const position = { order: z.int().optional(), hiddenUntil: displayRules.shownFrom }
const ExportedSection = z.intersection(SectionForm, z.object(position))
const names = [...sectionFieldNames, ...Object.keys(position)]

/** Import of the menu's sections. Preserves their IDs, because the dishes contain these. */
export const sectionImport: DocumentType = {
  importAll: importEach(async ({ trx, author }, { id, fields }, note) => {
    noteUnknownFields(fields, [...names, 'id', 'version'], note)
    const read = ExportedSection.safeParse(fields)
    for (const { path, message } of read.error?.issues ?? [])
      note(`「${path.join('.')}」を取り込めません（${message}）。元の文書だけを保存します。`)
    if (!read.success) return false
    if (!isUsableId(id) || (await readSection(trx, id)))
      return 'このIDは使えないか、同じIDの分類がすでにあります。元の文書だけを保存します。'
    await saveSection(trx, id, { version: 0, facts: read.data }, author)
    return true
  }),
}
