import type { PageRow } from '../../db/tables.ts'
import { Rejection } from '../forms/outcome.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { type FactsRecord, sampleLeftOf } from '../records/facts.server.ts'
import type { Kind } from '../records/record.ts'
import { pathOfOwnPage } from './own-page.ts'
import { canBeHidden, isPageName, PageFacts, type PageId, startingPages } from './page.ts'
import { pageInWords } from './page-words.ts'

export const pageRecord: Kind<PageRow> = {
  subject: 'page',
  table: 'pages',
  key: 'id',
  topicOf: () => 'site',
  refusal: refusalOfAdministration,
  inWords: (row) => pageInWords(pageFactsOf(row.id, row)),
  picturesOf: (row) => {
    const { image, text } = pageFactsOf(row.id, row)
    return [image, ...text.flatMap((block) => (block.kind === 'picture' ? block.url : []))]
  },
  nameOf: (row) => {
    const { label, title } = pageFactsOf(row.id, row)
    return label || title
  },
  placeOf: () => 'ページ',
  // A page of the owner's own may not be there any longer, and then has no form.
  addressOf: ({ id }) => (isPageName(id) ? `/pages/${id}/edit` : '/pages'),
  sampleLeft: (now, sample) => sampleLeftOf(pageColumns(now.id), [now, sample]),
  guard: async (_, __, after) => {
    if (after && !canBeHidden(after.id) && !pageFactsOf(after.id, after).shown) throw new Rejection(ALWAYS_SHOWN, 400)
  },
}

export const ALWAYS_SHOWN = 'ホーム、ログイン、プライバシーのページは、非公開にできません。'

/** Parses the content in a row or a revision, over the defaults of the page. */
export function pageFactsOf(id: string, row: Pick<PageRow, 'facts'> | null | undefined): PageFacts {
  const start = isPageName(id) ? startingPages[id] : {}
  return PageFacts.parse({ ...start, ...(row && JSON.parse(row.facts)) })
}

export function pageColumns(id: string): Pick<FactsRecord<PageRow, PageFacts>, 'factsOf' | 'columnsOf'> {
  return {
    factsOf: (row) => pageFactsOf(id, row),
    columnsOf: (facts) => ({ id, facts: JSON.stringify(facts), deletedAt: null }),
  }
}

export function pathOf(id: PageId) {
  return isPageName(id) ? startingPages[id].path : pathOfOwnPage(id)
}
