import type { MemberRow } from '../../db/tables.ts'
import { memberFieldNames, memberFields } from './member.ts'

/** Returns the labels and values of a member for the history. Omits `birthday` and `realname`. */
export function describeMember(row: MemberRow): Record<string, string> {
  return {
    ...Object.fromEntries(memberFieldNames.map((name) => [memberFields[name].label, row[name]])),
    参加の承認: row.admin ? '承認する' : '承認しない',
    管理者: row.administrator ? '管理者にする' : '管理者にしない',
    休会: row.resting ? '休会中' : '',
  }
}

export const MEMBER_GONE = 'このメンバーは見つかりません。ほかの管理者が削除したようです。'
export const MEMBER_CHANGED = 'ほかの管理者が先に変更しました。現在の状態をご確認のうえ、もう一度お試しください。'
