import type { SaveResult } from '../forms/save-result.ts'
import type { DayOfWeek } from './business-day.ts'
import type { ListedSpecialDay, OpenedDays } from './business-days.server.ts'

export type HoursResult = SaveResult & {
  newer?: NewerWeek
  existing?: ListedSpecialDay[]
  /** The text beside the hours, which may no longer be true. */
  beside?: string
  openedDays?: OpenedDays[]
  lacksHours?: boolean
  /** Sentences about usual slots that the hours leave out. */
  sure?: string[]
}

/** The week that somebody else has saved: in words, the rows that differ from the submitted week. */
export type NewerWeek = { version: number; rows: Partial<Record<DayOfWeek, string>>; closedDaysFirst?: boolean }
