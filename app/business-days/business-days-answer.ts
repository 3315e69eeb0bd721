import type { ListedSpecialDay } from './business-days.server.ts'
import type { Schedule } from './schedule.ts'

/** What the settings of the business days answer to a form. */
export type HoursAnswer = {
  intent: string
  done?: string
  /** The revision that can be taken back. */
  undo?: string
  refusal?: string
  failed?: string
  errors?: Record<string, string[]>
  /** What was sent. */
  values?: Record<string, string>
  /** What somebody else saved meanwhile. */
  newer?: { version: number; schedule: Schedule | null }
  /** The special days that would be replaced. */
  existing?: ListedSpecialDay[]
}
