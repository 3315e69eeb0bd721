import type { Db, MenuSectionRow } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Outcome, Rejection } from '../forms/outcome.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import { removeOnce } from '../records/own-saves.server.ts'
import { newSave, type RecordRef } from '../records/record.ts'
import { change, lockPresent } from '../records/records.server.ts'
import { type SettingsRecord, saveSettings } from '../records/settings-record.server.ts'
import type { Author } from '../request.ts'
import { periodFields } from './display-rules.ts'
import { compareSections, type Section, type SectionFacts, SectionForm } from './section.ts'
import { sectionRecord } from './section-record.server.ts'

/** Returns all sections of the menu in their order, including those that guests do not see. */
export async function listSections(db: Db): Promise<Section[]> {
  const rows = await db.selectFrom('menuSections').selectAll().where('deletedAt', 'is', null).execute()
  return rows.map(({ updatedAt: _, deletedAt: __, ...section }) => section).sort(compareSections)
}

/** Returns a section, or null if it is missing or deleted. */
export async function readSection(db: Db, id: string) {
  return (await listSections(db)).find((section) => section.id === id) ?? null
}

// The default values come from the schema, which requires a name.
export const emptySection: SectionFacts = {
  ...SectionForm.parse({ name: '分類' }),
  name: '',
  order: 0,
  hiddenUntil: '',
}

function recordOf(id: string): SettingsRecord<MenuSectionRow, SectionFacts> {
  return {
    kind: sectionRecord,
    id,
    factsOf: (row) => {
      if (!row) return emptySection
      const { id: _, version: __, updatedAt: ___, deletedAt: ____, ...facts } = row
      return facts
    },
    columnsOf: (facts) => ({ id, ...facts, deletedAt: null }),
    groups: [periodFields, ['served', 'servedFrom', 'servedUntil']],
  }
}

export const SECTION_MISSING = 'この分類は見つかりません。すでに削除されているようです。'

/** Adds or saves a section and merges the changes of other authors. A new section becomes the last one. */
export async function saveSection(
  db: Db,
  id: string,
  { facts, ...seen }: SeenVersion & { facts: Partial<SectionFacts> },
  author: Author,
) {
  return inTransaction(db, async (trx) => {
    const isNew = !(await lockPresent(trx, sectionRecord, id))
    if (isNew && seen.version > 0) throw new Rejection(SECTION_MISSING, 404)
    const order = isNew && { order: ((await listSections(trx)).at(-1)?.order ?? 0) + 1 }
    return saveSettings(trx, recordOf(id), { ...seen, facts: { ...order, ...facts } }, author)
  })
}

/** Hides a section from guests until the time `until` in Japan (YYYY-MM-DDTHH:MM), or shows it again if `until` is ''. */
export function hideSection(db: Db, id: string, until: string, author: Author) {
  const save = newSave(author, until ? 'hide' : 'show')
  return inTransaction(db, async (trx): Promise<Outcome<string | null>> => {
    const row = await lockPresent(trx, sectionRecord, id)
    if (!row) return { error: 'missing' }
    if (row.hiddenUntil === until) return { ok: null }
    await change(trx, sectionRecord, row, { hiddenUntil: until }, save)
    return { ok: save.id }
  })
}

/** Deletes a section. Its dishes remain, and belong to the section again if the section is restored. */
export function deleteSection(db: Db, seen: RecordRef, author: Author) {
  return removeOnce(db, sectionRecord, seen, author)
}
