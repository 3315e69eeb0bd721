import type { SaveAnswer } from '../forms/save-answer.ts'
import type { Field } from './card.ts'
import type { Values } from './card-values.ts'

/** What came of a form about a card. */
export type CardAnswer = SaveAnswer & {
  /** Of the card, as the form had it. */
  version: number
  /** What the form goes on with. */
  values?: Values
  /** Somebody else changed these fields meanwhile, to what `theirs` says, and the card has this version now. */
  conflict?: { fields: Field[]; theirs: Values; version: number }
  /** The deletion waits for a yes; `newer` where the card is not any more what was seen. */
  asking?: { name: string; version: number; newer: boolean }
}
