import type { MemberRow } from '../../db/tables.ts'
import { LAST_ADMINISTRATOR } from '../settings/roles.server.ts'
import { memberFieldNames, memberFields } from './member.ts'

/** Returns the labels and values of a member for the history, without `birthday` and `realname`. */
export function memberInWords(row: MemberRow): Record<string, string> {
  return {
    ...Object.fromEntries(memberFieldNames.map((name) => [memberFields[name].label, row[name]])),
    参加の承認: row.admin ? '承認する' : '承認しない',
    管理者: row.administrator ? '管理者にする' : '管理者にしない',
  }
}

export const troubles = {
  'not there': ['このメンバーは見つかりません。ほかの管理者が削除したようです。', 404],
  'no account': ['アカウントのない方は、管理者にできません。', 409],
  'last administrator': [LAST_ADMINISTRATOR, 409],
  'account name taken': [
    '同じアカウント名の方がいるため、元に戻せません。先にその方のアカウント名を変更してください。',
    409,
  ],
  'newer version': ['ほかの管理者が同時に変更しました。今の状態をご確認のうえ、もう一度お試しください。', 409],
} as const
