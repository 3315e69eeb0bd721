import type { SaveResult } from '../forms/save-result.ts'
import type { Field } from './card.ts'
import type { CardValues } from './card-form-values.ts'

export type CardResult = SaveResult & {
  values?: CardValues
  conflict?: { fields: Field[]; theirs: CardValues; version: number }
  /** The current card, if the card has changed since the editor loaded the version to delete. */
  changed?: { name: string; version: number }
}
