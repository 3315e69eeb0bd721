import type { Db, NoticeRow } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import { lockPresent } from '../records/records.server.ts'
import { type SettingsRecord, saveSettings } from '../records/settings-record.server.ts'
import type { Author } from '../request.ts'
import { periodFields } from '../sections/display-rules.ts'
import { compareNotices, type Notice } from './notice.ts'
import type { NoticeForm } from './notice-form.ts'
import { noticeRecord } from './notice-record.server.ts'

/** Returns the notices whose display ends after the time `now` in Japan, in the order of display. By default, all. */
export async function listNotices(db: Db, now = ''): Promise<Notice[]> {
  const rows = await present(db)
    .where((eb) => eb.or([eb('shownUntil', '=', ''), eb('shownUntil', '>', now)]))
    .execute()
  return rows.map(toNotice).sort(compareNotices)
}

/** Returns a notice, or null if it is missing or deleted. */
export async function readNotice(db: Db, id: string): Promise<Notice | null> {
  const row = await present(db).where('id', '=', id).executeTakeFirst()
  return row ? toNotice(row) : null
}

function present(db: Db) {
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
    groups: [periodFields],
  }
}

/** Adds or saves a notice and merges the changes of other authors. */
export function saveNotice(
  db: Db,
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
