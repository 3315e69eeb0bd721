import { NoticeForm } from '../../app/notices/notice-form.ts'
import { readNotice, saveNotice } from '../../app/notices/notices.server.ts'
import { type DocumentType, importEach, readerOf, resolveTimes, timeNames, usableId } from './import-reading.ts'

const textNames = ['text', 'link', 'place', 'shownFrom', 'shownUntil'] as const
const names = [...textNames, 'important', ...timeNames]

export const noticeImport: DocumentType = {
  names,
  importAll: importEach(async ({ trx, author }, { id, fields }, note) => {
    const read = readerOf(fields, note, fields.id === id ? [...names, 'id'] : names)
    const parsed = NoticeForm.safeParse({ ...read.texts(textNames), important: read.flag('important') })
    if (!parsed.success) return `${parsed.error.issues[0]?.message}（取り込みません。元の文書だけを保存します）`
    const newId = usableId(id, note)
    if (await readNotice(trx, newId))
      return '同じIDのお知らせがすでにあります。取り込みません。元の文書だけを保存します。'
    const { createdAt } = resolveTimes(read.times(), {}, author.at)
    await saveNotice(trx, newId, { version: 0, facts: { ...parsed.data, createdAt } }, author)
    return true
  }),
}
