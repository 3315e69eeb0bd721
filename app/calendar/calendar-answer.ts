import type { ShownEvent } from './event-words.ts'

/** What the calendar answers to a form. */
export type EventAnswer = {
  intent: string
  done?: string
  /** The revision that can be taken back. */
  undo?: string
  refusal?: string
  failed?: string
  errors?: Record<string, string[]>
  /** What was sent, for a page without scripts. */
  values?: Record<string, string>
  /** What somebody else saved meanwhile. */
  newer?: ShownEvent
}
