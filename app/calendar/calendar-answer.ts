import type { SaveAnswer } from '../forms/save-answer.ts'
import type { ShownEvent } from './event-words.ts'

/** What the calendar answers to a form; `newer` is what somebody else saved meanwhile. */
export type EventAnswer = SaveAnswer & { newer?: ShownEvent }
