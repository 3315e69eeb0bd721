import type { MutedMailRow } from '../../db/tables.ts'

export type MailKind = MutedMailRow['kind']

/** The kinds of e-mail that a member can switch off. */
export const mailKinds: Record<MailKind, { label: string; hint: string }> = {
  event: { label: '新しい予定', hint: '出欠をとる予定が追加されたとき' },
  change: { label: '予定の変更と中止', hint: '回答した予定の日時や内容が変わったとき、中止になったとき' },
  reminder: { label: '回答のお願い', hint: '締切が近いのに、まだ回答していないとき' },
  place: { label: '参加とキャンセル待ち', hint: 'キャンセル待ちから参加に変わったときなど' },
  message: { label: 'サークルからの連絡', hint: '管理者やスタッフがメンバーに連絡するとき' },
}

export function isMailKind(text: string): text is MailKind {
  return Object.hasOwn(mailKinds, text)
}

export const mailKindNames = Object.keys(mailKinds) as MailKind[]
