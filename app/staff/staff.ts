import { z } from 'zod'
import type { StaffRow } from '../../db/tables.ts'
import { trimmed } from '../ui/blank.ts'
import { atMost } from '../ui/characters.ts'
import type { Role } from './staff-words.ts'
import { roles } from './staff-words.ts'

export const MOST_NAME = 50

const name = z
  .string('お名前を入力してください')
  .overwrite(trimmed)
  .min(1, 'お名前を入力してください')
  .refine((text) => !/\p{Cc}/u.test(text), '使えない文字が含まれています')
  .refine(atMost(MOST_NAME), `お名前は${MOST_NAME}文字までです`)

/** Whom an invitation is for, and for what. */
export const InvitationForm = z.object({
  name,
  role: z.enum(Object.keys(roles) as [Role, ...Role[]], 'どちらかをお選びください'),
})

/** What somebody of the shop is called. */
export const StaffNameForm = z.object({ name })

/** A person of the shop as the history tells it. */
export function staffInWords({ name, role }: StaffRow): Record<string, string> {
  return { お名前: name, できること: roles[role].label }
}
