import { z } from 'zod'
import type { StaffRow } from '../../db/tables.ts'
import { textField } from '../forms/form-rules.ts'
import { cleanLine } from '../ui/typed-text.ts'

export type Role = StaffRow['role']

export const roles: Record<Role, { label: string; description: string }> = {
  editing: { label: '編集', description: 'お料理、営業日と営業時間、予定とその出欠を編集できます。' },
  administration: {
    label: '管理',
    description: '編集に加えて、お店の情報、ページ、受信箱、スタッフなど、すべてを扱えます。',
  },
}

const name = textField('お名前', 50, cleanLine).min(1, 'お名前を入力してください')

export const InvitationForm = z.object({
  name,
  role: z.enum(Object.keys(roles) as [Role, ...Role[]], 'どちらかをお選びください'),
})

export const StaffNameForm = z.object({ name })

// Intents of the forms on /staff. With an empty ID, each function returns the common prefix of its intents.
export const endStaffIntent = (id: string) => `end ${id}`
export const giveRoleIntent = (id: string) => `give ${id}`
export const removeAccountIntent = (id: string) => `remove ${id}`
export const endInvitationIntent = (key: string) => `invitation ${key}`

export const rejectionTexts = {
  forged: 'この招待は見つかりません。アドレスが途中で切れていないか、ご確認ください。',
  used: 'この招待は、すでに使われています。ご自身で登録された方は、ログインしてください。ほかの方は、あらためて招待を受けてください。',
  'used by oneself': 'この招待は、すでに受け取っています。スタッフとして、そのままお使いいただけます。',
  ended: 'この招待は取り消されています。お心当たりのないときは、お店の管理者にお尋ねください。',
  expired: 'この招待は、7日の期限を過ぎています。あらためて招待を受けてください。',
  already: 'この招待の権限は、現在のアカウントにすでにあります。招待は使われていません。',
} as const
