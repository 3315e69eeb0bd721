import type { SaveAnswer } from '../forms/save-answer.ts'
import type { ListedSpecialDay, OpenedDays } from './business-days.server.ts'
import type { Schedule } from './schedule.ts'

/** What the settings of the business days answer to a form. */
export type HoursAnswer = SaveAnswer & {
  /** What somebody else saved meanwhile. */
  newer?: { version: number; schedule: Schedule | null }
  /** The special days that would be replaced. */
  existing?: ListedSpecialDay[]
  /** What is written beside the hours, and may no longer be true. */
  beside?: string
  /** The closed days that holidays and their eves would open. */
  openedDays?: OpenedDays[]
  /** Whether a day that is about hours came without any. */
  lacksHours?: boolean
  /** What its hours would leave out, in sentences. */
  sure?: string[]
}
