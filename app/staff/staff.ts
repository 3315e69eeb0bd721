import { z } from 'zod'
import type { StaffRow } from '../../db/tables.ts'
import { textField } from '../forms/form-rules.ts'
import { cleanLine } from '../ui/typed-text.ts'
import { type Role, roles } from './staff-words.ts'

export const MAX_NAME = 50

const name = textField('お名前', MAX_NAME, cleanLine).min(1, 'お名前を入力してください')

export const InvitationForm = z.object({
  name,
  role: z.enum(Object.keys(roles) as [Role, ...Role[]], 'どちらかをお選びください'),
})

export const StaffNameForm = z.object({ name })

export function describeStaff({ name, role }: StaffRow): Record<string, string> {
  return { お名前: name, 権限: roles[role].label }
}
