import type { MenuSectionRow } from '../../db/tables.ts'
import { refusalOfCalendar } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { servedLabels } from './section.ts'

export const sectionRecord: RecordType<MenuSectionRow> = {
  subject: 'menuSection',
  table: 'menuSections',
  topicOf: () => 'dining',
  refusal: refusalOfCalendar,
  describe: ({ name, introduction, order, served, servedFrom, servedUntil, draft, ...display }) => ({
    名前: name,
    紹介文: introduction,
    並び順: String(order),
    ご提供の時間: served === 'own' ? `${servedFrom}〜${servedUntil}` : servedLabels[served],
    表示の始まり: formatTime(display.shownFrom),
    表示の終わり: formatTime(display.shownUntil),
    ...(display.hiddenUntil && { お休み: `${formatTime(display.hiddenUntil)}まで` }),
    状態: draft ? '下書き' : '公開',
  }),
  titleOf: ({ name }) => name,
  placeOf: () => 'お品書きの分類',
  urlOf: ({ id }) => `/dining#section-${id}`,
  leaves: true,
  // A sample section remains sample content if only its position or its times have changed.
  sampleLeft: (now, { name, introduction }) => ({
    count: now.name === name && now.introduction === introduction ? 1 : 0,
    without: null,
  }),
}

const formatTime = (time: string) => time.replace('T', ' ')
