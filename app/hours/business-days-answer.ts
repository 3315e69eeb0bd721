import type { SaveAnswer } from '../forms/save-answer.ts'
import type { ListedSpecialDay, OpenedDays } from './business-days.server.ts'
import type { Schedule } from './schedule.ts'

export type HoursAnswer = SaveAnswer & {
  /** The week that somebody else has saved. */
  newer?: { version: number; schedule: Schedule | null }
  existing?: ListedSpecialDay[]
  /** The text beside the hours, which may no longer be true. */
  beside?: string
  openedDays?: OpenedDays[]
  lacksHours?: boolean
  /** Sentences about usual slots that the hours leave out. */
  sure?: string[]
}
