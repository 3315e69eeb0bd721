import type { SaveResult } from '../forms/save-result.ts'
import type { Card, Field } from './card.ts'
import type { CardValues } from './card-form-values.ts'

export type CardResult = SaveResult & {
  values?: CardValues
  conflict?: { fields: Field[]; theirs: CardValues; version: number }
  /** Name and version of the current card. Set if a deletion was rejected because the card has changed. */
  changed?: { name: string; version: number }
  /** Values of the next new card. Set if the form stays open. */
  blank?: Partial<Card>
}
