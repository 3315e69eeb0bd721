import type { SaveAnswer } from '../forms/save-answer.ts'
import type { Field } from './card.ts'
import type { Values } from './card-values.ts'

export type CardAnswer = SaveAnswer & {
  version: number
  values?: Values
  /** Fields that somebody else has changed too, with their values and the card's current version. */
  conflict?: { fields: Field[]; theirs: Values; version: number }
  /** Deletion that needs confirmation; `newer` if the card has changed since the editor loaded it. */
  asking?: { name: string; version: number; newer: boolean }
}
