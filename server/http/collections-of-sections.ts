import { canSeeCards } from '../../app/cards/cards-of-page.server.ts'
import { timeInJapan } from '../../app/dates/japan.ts'
import { mayEditCollection } from '../../app/permissions.ts'
import { type Section, SectionForm, type SectionFormValues, sectionFieldNames } from '../../app/sections/section.ts'
import { sectionRecord } from '../../app/sections/section-record.server.ts'
import { deleteSection, listSections, readSection, saveSection } from '../../app/sections/sections.server.ts'
import { isShown } from '../../app/sections/shown.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { Collection } from './collection.ts'

/** Collection of the menu's sections. Only the page changes their order. */
export const sections: Collection<Section, SectionFormValues> = {
  recordType: sectionRecord,
  fields: () => sectionFieldNames,
  list: ({ db }) => listSections(db),
  read: ({ db }, id) => readSection(db, id),
  visible: async ({ context, db, visitor, clock }) => {
    const seesPage = await canSeeCards(context, 'dining')
    const mayEdit = mayEditCollection(visitor, 'dining', await readSite(db))
    const now = timeInJapan(clock())
    return (section) => seesPage && (mayEdit || isShown(section, now))
  },
  documentOf: (section) => section,
  schema: () => SectionForm,
  inputOf: (body, section) => ({ name: '', ...section, ...body }),
  add: async ({ db, author }, facts) => {
    const id = crypto.randomUUID()
    await saveSection(db, id, { version: 0, facts }, author)
    return { outcome: 'saved', id }
  },
  change: ({ db, author }, { id, version }, values, { body }) => {
    const changes = Object.entries(values).filter(([field]) => Object.hasOwn(body, field))
    return saveSection(db, id, { version, facts: Object.fromEntries(changes) }, author)
  },
  remove: ({ db, author }, ref) => deleteSection(db, ref, author),
}
