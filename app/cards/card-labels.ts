import { formatDayWithYear } from '../dates/month.ts'
import { builtInPages } from '../pages/page.ts'
import { isPeriodField } from '../sections/display-rules.ts'
import { type CollectionName, DISH_TITLE_LABEL, type Field, isSpecified } from './card.ts'

export function collectionLabel(name: CollectionName) {
  if (name === 'home') return 'ホームのスライド'
  if (name === 'webdesign') return 'ウェブデザイン'
  return isSpecified(name) ? builtInPages[name].label : '追加したページの項目'
}

const fieldLabels: Record<Field, string> = {
  order: '並び順',
  eventDay: '日付',
  title: 'タイトル',
  content: '内容',
  linkUrl: 'リンク先',
  youtubeUrl: 'YouTubeのアドレス',
  image: '写真',
  portraitImage: 'スマートフォン用の縦長の写真',
  imageAlt: '写真の説明',
  text1: '1行目',
  text2: '2行目',
  text3: '写真の説明',
  price: '価格（税込・円）',
  marks: '目印',
  allergens: 'アレルギー物質',
  allergensConfirmed: 'アレルギーの確認',
  draft: '下書き',
  section: '分類',
  shownFrom: '表示の始まり',
  shownUntil: '表示の終わり',
}

export function fieldLabel(field: Field, collection: CollectionName) {
  return collection === 'dining' && field === 'title' ? DISH_TITLE_LABEL : fieldLabels[field]
}

/** Returns a form value of a card in words. `sectionNames` are by ID. */
export function describeValue(field: Field, value: string, sectionNames: ReadonlyMap<string, string>) {
  if (field === 'section') return value && (sectionNames.get(value) ?? '削除された分類')
  if (field === 'allergensConfirmed') return value === 'on' ? '確認済み' : '未確認'
  if (field === 'draft') return value === 'on' ? '下書き' : '公開'
  if (field === 'eventDay') return value && formatDayWithYear(value)
  return isPeriodField(field) ? value.replace('T', ' ') : value
}
