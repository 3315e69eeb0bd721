import type { SaveAnswer } from '../forms/save-answer.ts'
import type { ShownEvent } from './event-words.ts'

/** The form response of the calendar; `newer` is the event as another author has saved it. */
export type EventAnswer = SaveAnswer & { newer?: ShownEvent }
