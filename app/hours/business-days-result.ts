import type { SaveResult } from '../forms/save-result.ts'
import type { DayOfWeek } from './business-day.ts'
import type { ListedSpecialDay, OpenedDays } from './business-days.server.ts'

export type HoursResult = SaveResult & {
  newer?: NewerWeek
  existing?: ListedSpecialDay[]
  /** The text beside the hours. The form asks whether the text matches the new hours. */
  beside?: string
  openedDays?: OpenedDays[]
  lacksHours?: boolean
  /** Sentences for the confirmation dialog about usual slots that the new hours omit. */
  sure?: string[]
}

/** The stored week after a conflict. `rows` contains the text of each row that differs from the submitted week. */
export type NewerWeek = { version: number; rows: Partial<Record<DayOfWeek, string>>; closedDaysFirst?: boolean }
