import { palettes } from '../ui/palettes.ts'
import { MAP_IMAGE } from './map-image.ts'
import type { SiteSettings } from './site.ts'

type TextField = {
  label: string
  most: number
  hint?: string
  kind?: 'text' | 'tel'
  inputMode?: 'numeric'
  autoComplete?: 'postal-code' | 'address-line1' | 'tel'
}

/** Text settings of the shop. `most` is the maximum length in characters. */
export const siteTexts = {
  name: { label: '店名', most: 40, hint: 'すべてのページの左上と、検索結果やメールに表示します。' },
  seal: {
    label: '印の文字',
    most: 2,
    hint: '店名の左の、印の中の文字です。1文字をおすすめします。サイトのアイコンにもなります。',
  },
  description: {
    label: 'お店の紹介',
    most: 500,
    kind: 'text',
    hint: 'ホームの文章です。検索結果の説明にもなります。',
  },
  postalCode: {
    label: '郵便番号',
    most: 20,
    inputMode: 'numeric',
    autoComplete: 'postal-code',
    hint: '数字だけでかまいません。〒とハイフンは自動で付きます。',
  },
  address: { label: '住所', most: 200, autoComplete: 'address-line1' },
  telephone: {
    label: '電話番号',
    most: 40,
    kind: 'tel',
    autoComplete: 'tel',
    hint: 'スマートフォンでは、番号に触れると電話がかかります。',
  },
  mapQuery: {
    label: '地図で検索する言葉',
    most: 200,
    hint: '地図アプリやGoogleマップでお店が見つかる言葉を入力します。空欄なら、地図への案内を表示しません。',
  },
  mapPosition: {
    label: '地図上の位置（緯度, 経度）',
    most: 60,
    hint: 'Googleマップでお店の場所を長押し（パソコンでは右クリック）すると出る「35.00393, 135.77832」のような数字を、そのまま貼り付けてください。検索サービスに伝わります。空欄でもかまいません。',
  },
  wayPictureAlt: {
    label: '地図の写真の説明',
    most: 200,
    hint: `写真を見られない方のために読み上げられます。空欄なら「${MAP_IMAGE}」と読み上げます。`,
  },
  parking: { label: '駐車場', most: 500, kind: 'text' },
  hoursInWords: {
    label: '営業時間の説明',
    most: 500,
    kind: 'text',
    hint: '店舗案内の、時間の表の下に表示します。時間は「毎週の営業時間」で変更します。',
  },
  firstSlot: {
    label: '1つめの時間帯の名前',
    most: 20,
    hint: '「朝の部」「夜の部」のように、営業時間の表に表示します。空欄でもかまいません。',
  },
  secondSlot: { label: '2つめの時間帯の名前', most: 20 },
  cuisine: { label: '料理の種類', most: 60, hint: '「日本料理」「居酒屋」など。検索サービスにも伝わります。' },
  seats: { label: 'お席', most: 500 },
  priceRange: { label: 'ご予算', most: 60, hint: '「昼1,000円〜、夜4,000円〜」など。検索サービスにも伝わります。' },
  payment: { label: 'お支払い', most: 500 },
} as const satisfies Partial<Record<keyof SiteSettings, TextField>>
export type SiteText = keyof typeof siteTexts

/**
 * Recipients of contact messages. `name` is the label of the name field, and `reader` is the label of the e-mail field.
 */
export const recipients = {
  shop: { name: '1つめの宛先の名前', reader: '1つめの宛先のメールアドレス' },
  circle: { name: '2つめの宛先の名前', reader: '2つめの宛先のメールアドレス' },
  portfolio: { name: '3つめの宛先の名前', reader: '3つめの宛先のメールアドレス' },
} as const satisfies Record<keyof SiteSettings['recipients'], { name: string; reader: string }>
export type Recipient = keyof typeof recipients
export const recipientKeys = Object.keys(recipients) as [Recipient, ...Recipient[]]

/** Whole numbers of the requests for tables. */
export const tableNumbers = {
  tableGuestsPerHalfHour: { label: '30分ごとに受け付ける人数', min: 1, max: 200, unit: '名' },
  tableGuestsPerDay: { label: '1日に受け付ける人数', min: 1, max: 1000, unit: '名' },
  tableMaxParty: {
    ...{ label: '1組の人数の上限', min: 1, max: 50, unit: '名' },
    hint: 'これより多いお客さまには、お電話をお願いします。',
  },
  tableDaysAhead: { label: '何日先まで受け付けるか', min: 1, max: 365, unit: '日' },
  tableHoursBefore: { label: '何時間前まで受け付けるか', min: 0, max: 168, unit: '時間' },
  tableMinutesToClosing: {
    ...{ label: '最後のお席は閉店の何分前か', min: 0, max: 300, unit: '分' },
    hint: 'ラストオーダーに間に合う時刻までを受け付けます。',
  },
  tableRetentionDays: {
    ...{ label: 'お客さまの情報を残す日数', min: 1, max: 1000, unit: '日' },
    hint: 'ご来店の日からこの日数がたつと、お名前や連絡先を自動で削除します。',
  },
} as const satisfies Partial<
  Record<keyof SiteSettings, { label: string; min: number; max: number; unit: string; hint?: string }>
>
export type TableNumber = keyof typeof tableNumbers

export const DAYS_WITHOUT_TABLES = '受け付けない日'
export const MAX_DAYS_WITHOUT_TABLES = 100

export const switches = {
  dishesAndCalendarByStaffOnly: {
    label: 'お料理・予定・営業日の編集をスタッフだけにする',
    hint: 'チェックを入れると、承認されたサークルのメンバーは編集できなくなります。',
  },
  showEditButtonsToVisitors: {
    label: '編集ボタンをお客さまにも表示する',
    hint: 'チェックを外しているあいだは、編集できる方だけに表示します。表示していても、変更できるのは編集できる方だけです。',
  },
  otherLanguages: {
    label: '英語でも案内する',
    hint: 'お客さまのページに英語版ができます。料理やお知らせなどの英語は「英語の文章」で入力します。入力していない文章は、日本語のまま表示します。',
  },
  takesTableRequests: {
    label: 'お席のお申し込みを受け付ける',
    hint: 'お客さまのページに、お席を申し込む画面ができます。お申し込みは、お店が「はい」と返事をするまで確定しません。',
  },
} as const

export const MAX_DIRECTIONS = 12
export const MAX_DIRECTIONS_CHARACTERS = 2000
export const MAX_LINKS = 8
export const MAX_RECIPIENT_NAME = 30

/** Returns the settings as Japanese labels and texts for the history. */
export function describeSite(facts: SiteSettings): Record<string, string> {
  const labelEntries = <Name extends string>(labels: Record<Name, { label: string }>, textOf: (name: Name) => string) =>
    Object.entries<{ label: string }>(labels).map(([name, { label }]) => [label, textOf(name as Name)])
  const recipientEntries = recipientKeys.flatMap((key) => [
    [recipients[key].name, facts.recipientNames[key]],
    [recipients[key].reader, facts.recipients[key]],
  ])
  return Object.fromEntries([
    ...labelEntries(siteTexts, (name: SiteText) => facts[name]),
    ['地図の写真', facts.wayPicture],
    ['色', palettes[facts.palette].name],
    ['道順', facts.directions.join('\n')],
    ['リンク', facts.links.map(({ name, url }) => `${name} ${url}`).join('\n')],
    ...recipientEntries,
    ...labelEntries(switches, (name: keyof typeof switches) => formatBoolean(facts[name])),
    ...labelEntries(tableNumbers, (name: TableNumber) => `${facts[name]}${tableNumbers[name].unit}`),
    [DAYS_WITHOUT_TABLES, facts.tableDaysWithout.join('\n')],
    ['準備の一覧を非表示にする', formatBoolean(facts.setupListHidden)],
  ])
}

function formatBoolean(value: boolean) {
  return value ? 'はい' : 'いいえ'
}
