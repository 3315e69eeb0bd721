import type { NoticeRow } from '../../db/tables.ts'
import { refusalOfCalendar } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { truncate } from '../ui/characters.ts'
import { places } from './notice-form.ts'

export const noticeRecord: RecordType<NoticeRow> = {
  subject: 'notice',
  table: 'notices',
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
