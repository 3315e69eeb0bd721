import type { StaffRow } from '../../db/tables.ts'

export type Role = StaffRow['role']

/** What somebody of the shop may do, as it is said to whoever invites them, and to them. */
export const roles: Record<Role, { label: string; what: string }> = {
  editing: { label: '編集', what: 'お料理、営業日と営業時間、予定を編集できます。' },
  administration: {
    label: '管理',
    what: '編集に加えて、お店の情報、ページ、受信箱、お店の方など、すべてを扱えます。',
  },
}

/** How the form that ends one of the shop's people is told from the others of its page. */
export function leavingAs(id: string) {
  return `end ${id}`
}

/** How the one that gives them another role is. */
export function givingAs(id: string) {
  return `give ${id}`
}

/** Returns the intent of the form that removes an account without a role. */
export function removingAs(id: string) {
  return `remove ${id}`
}

/** How the one that ends an invitation is. */
export function endingOf(key: string) {
  return `invitation ${key}`
}

/** Why an invitation does not open, to whoever holds it. */
export const notInvited = {
  forged: 'この招待は見つかりません。アドレスが途中で切れていないか、お確かめください。',
  used: 'この招待は、すでに使われています。招待は一度だけ使えますので、あらためて招待を受けてください。',
  'used by oneself': 'この招待は、すでに受け取っています。お店の方として、そのままお使いいただけます。',
  ended: 'この招待は取り消されています。お心当たりのないときは、お店の管理者にお尋ねください。',
  expired: 'この招待は期限を過ぎています。招待は7日のあいだ使えますので、あらためて招待を受けてください。',
  already: 'この招待でできることは、いまのアカウントですでにすべて行えます。招待は使われていません。',
} as const
