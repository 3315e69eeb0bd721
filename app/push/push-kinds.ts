export const pushKinds = {
  inquiry: { label: 'お問い合わせ', hint: 'お問い合わせフォームから届いたとき' },
  table: { label: 'お席のお申し込み', hint: 'お客さまが申し込んだとき、変更・取り消しをしたとき' },
  registration: { label: '承認待ちのメンバー', hint: 'サークルのメンバー登録があったとき' },
  withdrawal: { label: '参加の取り消し', hint: '予定の24時間前を過ぎて、参加が取り消されたとき' },
  event: { label: '新しい予定', hint: '出欠をとる予定が追加されたとき' },
  place: { label: '参加とキャンセル待ち', hint: 'キャンセル待ちから参加に変わったときなど' },
  change: { label: '予定の変更と中止', hint: '回答した予定の日時や内容が変わったとき、中止になったとき' },
  reminder: { label: '回答のお願い', hint: '締切が近いのに、まだ回答していないとき' },
} as const
export type PushKind = keyof typeof pushKinds
export const pushKindNames = Object.keys(pushKinds) as PushKind[]

/** Returns the name of the checkbox of a kind. The kinds of e-mail on the same page have similar names. */
export const pushFieldOf = (kind: string) => `push-${kind}`
