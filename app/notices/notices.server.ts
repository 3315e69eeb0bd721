import type { Kysely } from 'kysely'
import type { NoticeRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import { refusalOfCalendar } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { lockPresent } from '../records/records.server.ts'
import { type SettingsRecord, saveSettings } from '../records/settings-record.server.ts'
import type { Author } from '../request.ts'
import { truncate } from '../ui/characters.ts'
import { compareNotices, type Notice } from './notice.ts'
import { type NoticeForm, places } from './notice-form.ts'

export const noticeRecord: RecordType<NoticeRow> = {
  subject: 'notice',
  table: 'notices',
  key: 'id',
  topicOf: () => 'notices',
  refusal: refusalOfCalendar,
  describe: ({ text, link, place, important, shownFrom, shownUntil }) => ({
    お知らせの文: text,
    リンク: link,
    表示するページ: places[place],
    重要: important ? 'はい' : 'いいえ',
    表示の始まり: shownFrom.replace('T', ' '),
    表示の終わり: shownUntil.replace('T', ' '),
  }),
  titleOf: ({ text }) => truncate(text.replaceAll('\n', ' '), 40),
  placeOf: () => 'お知らせ',
  urlOf: ({ id }) => `/notices#notice-${id}`,
  leaves: true,
  immutable: ['createdAt'],
}

/** Returns the notices whose display ends after the time `now` in Japan, in the order of display. By default, all. */
export async function listNotices(db: Kysely<Tables>, now = ''): Promise<Notice[]> {
  const rows = await present(db)
    .where((eb) => eb.or([eb('shownUntil', '=', ''), eb('shownUntil', '>', now)]))
    .execute()
  return rows.map(toNotice).sort(compareNotices)
}

/** Returns a notice, or null if it is missing or deleted. */
export async function readNotice(db: Kysely<Tables>, id: string): Promise<Notice | null> {
  const row = await present(db).where('id', '=', id).executeTakeFirst()
  return row ? toNotice(row) : null
}

function present(db: Kysely<Tables>) {
  return db.selectFrom('notices').selectAll().where('deletedAt', 'is', null)
}

function toNotice({ deletedAt: _, ...row }: NoticeRow): Notice {
  return row
}

export const emptyNotice: NoticeForm = {
  text: '',
  link: '',
  place: 'every',
  important: false,
  shownFrom: '',
  shownUntil: '',
}

type NoticeFacts = NoticeForm & { createdAt: string }

function recordOf(id: string): SettingsRecord<NoticeRow, NoticeFacts> {
  return {
    kind: noticeRecord,
    id,
    factsOf: (row) => {
      if (!row) return { ...emptyNotice, createdAt: '' }
      const { id: _, version: __, updatedAt: ___, deletedAt: ____, ...facts } = row
      return facts
    },
    columnsOf: (facts) => ({ id, ...facts, deletedAt: null }),
  }
}

/** Adds or saves a notice and merges the changes of other authors. */
export function saveNotice(
  db: Kysely<Tables>,
  id: string,
  { facts, ...seen }: SeenVersion & { facts: Partial<NoticeFacts> },
  author: Author,
) {
  return inTransaction(db, async (trx) => {
    const isNew = seen.version === 0 && !(await lockPresent(trx, noticeRecord, id))
    const added = isNew && { createdAt: author.at }
    return saveSettings(trx, recordOf(id), { ...seen, facts: { ...added, ...facts } }, author)
  })
}
