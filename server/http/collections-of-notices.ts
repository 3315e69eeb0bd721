import { timeInJapan } from '../../app/dates/japan.ts'
import { isNoticeShown, type Notice } from '../../app/notices/notice.ts'
import { NoticeForm, noticeFieldNames } from '../../app/notices/notice-form.ts'
import { noticeRecord } from '../../app/notices/notice-record.server.ts'
import { deleteNotice, listNotices, readNotice, saveNotice } from '../../app/notices/notices.server.ts'
import { isPageVisible, readPages } from '../../app/pages/pages.server.ts'
import { mayEditDishesAndCalendar } from '../../app/permissions.ts'
import { UUID } from '../../app/records/record.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { Collection } from './collection.ts'

/** Collection of the notices. If the client sends an `id`, a repeated POST adds the notice only once. */
export const notices: Collection<Notice, NoticeForm> = {
  recordType: noticeRecord,
  fields: () => noticeFieldNames,
  find: async ({ db }, id) => {
    if (id === undefined) return listNotices(db)
    const notice = await readNotice(db, id)
    return notice ? [notice] : []
  },
  visible: async ({ context, db, clock, visitor }) => {
    if (mayEditDishesAndCalendar(visitor, await readSite(db))) return () => true
    const [pages, now] = [await readPages(context), timeInJapan(clock())]
    return (notice) => isNoticeShown(notice, now, (page) => isPageVisible(pages, page, visitor))
  },
  documentOf: (notice) => notice,
  schema: () => NoticeForm,
  inputOf: (body, notice) => ({ text: '', ...notice, ...body }),
  add: async ({ db, author }, facts, body) => {
    const id = typeof body.id === 'string' && UUID.test(body.id) ? body.id : crypto.randomUUID()
    const { error } = await saveNotice(db, id, { version: 0, facts }, author)
    return error ? { outcome: 'taken', error: TAKEN, field: 'id' } : { outcome: 'saved', id }
  },
  change: ({ db, author }, { id, ...seen }, facts) => saveNotice(db, id, { ...seen, facts }, author),
  remove: ({ db, author }, ref) => deleteNotice(db, ref, author),
}

const TAKEN = 'この id のお知らせは、すでにあります。'
