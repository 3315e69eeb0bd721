import type { SiteRow } from '../../db/tables.ts'
import { refusalOfAdministration } from '../permissions.ts'
import type { Kind } from '../records/record.ts'
import { visitorKey } from '../request.ts'
import { SiteFacts } from './site.ts'
import { siteInWords } from './site-words.ts'

/** The shop's facts as a record: there is one. */
export const siteRecord: Kind<SiteRow> = {
  subject: 'site',
  table: 'site',
  key: 'id',
  topicOf: () => 'site',
  refusal: async (context) => refusalOfAdministration(context.get(visitorKey)),
  inWords: (row) => siteInWords(factsOf(row)),
  nameOf: () => 'お店の情報',
  placeOf: () => 'お店の情報',
  addressOf: () => '/site',
}

/** The facts kept in a row, or in what the history keeps of one; the defaults where there is none. */
export function factsOf(row: Pick<SiteRow, 'facts'> | null | undefined): SiteFacts {
  return SiteFacts.parse(row ? JSON.parse(row.facts) : {})
}
