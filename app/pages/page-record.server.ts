import type { PageRow } from '../../db/tables.ts'
import { Rejection } from '../forms/outcome.ts'
import { refusalOfAdministration } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { type SettingsRecord, sampleLeftOf } from '../records/settings-record.server.ts'
import { pathOfOwnPage } from './own-page.ts'
import { builtInPages, canBeHidden, isPageName, type PageId, PageSettings } from './page.ts'
import { describePage } from './page-words.ts'

export const pageRecord: RecordType<PageRow> = {
  subject: 'page',
  table: 'pages',
  topicOf: () => 'site',
  refusal: refusalOfAdministration,
  describe: (row) => describePage(pageSettingsOf(row.id, row)),
  imagesOf: (row) => {
    const { image, text } = pageSettingsOf(row.id, row)
    return [image, ...text.flatMap((block) => (block.kind === 'picture' ? block.url : []))]
  },
  titleOf: (row) => {
    const { label, title } = pageSettingsOf(row.id, row)
    return label || title
  },
  placeOf: () => 'ページ',
  // Unlike a built-in page, a page of an administrator may have been deleted. A deleted page has no form.
  urlOf: ({ id }) => (isPageName(id) ? `/pages/${id}/edit` : '/pages'),
  sampleLeft: (now, sample) => sampleLeftOf(settingsOfPage(now.id), [now, sample]),
  guard: async (_, __, after) => {
    if (after && !canBeHidden(after.id) && !pageSettingsOf(after.id, after).shown)
      throw new Rejection(ALWAYS_SHOWN, 400)
  },
}

export const ALWAYS_SHOWN = 'ホーム、ログイン、プライバシーのページは、非公開にできません。'

export function pageSettingsOf(id: string, row: Pick<PageRow, 'facts'> | null | undefined): PageSettings {
  const defaults = isPageName(id) ? builtInPages[id] : {}
  return PageSettings.parse({ ...defaults, ...(row && JSON.parse(row.facts)) })
}

export function settingsOfPage(id: string): SettingsRecord<PageRow, PageSettings> {
  return {
    kind: pageRecord,
    id,
    factsOf: (row) => pageSettingsOf(id, row),
    columnsOf: (facts) => ({ id, facts: JSON.stringify(facts), deletedAt: null }),
    groups: [['film', 'image', 'imageAlt']],
  }
}

export function pathOf(id: PageId) {
  return isPageName(id) ? builtInPages[id].path : pathOfOwnPage(id)
}
