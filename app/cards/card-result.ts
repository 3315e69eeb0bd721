import type { SaveResult } from '../forms/save-result.ts'
import type { Field } from './card.ts'
import type { CardValues } from './card-values.ts'

export type CardResult = SaveResult & {
  values?: CardValues
  /** Fields that somebody else has changed too, with their values and the card's current version. */
  conflict?: { fields: Field[]; theirs: CardValues; version: number }
  /** The current card, if it has changed since the editor loaded the card to delete. */
  changed?: { name: string; version: number }
}
