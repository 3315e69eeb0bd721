import { type TextFields, textField } from '../translations/translation.ts'
import type { ShownEvent } from './event-format.ts'

export const eventTextFields: TextFields = { title: textField('タイトル', 100), content: textField('内容', 5000) }

/** Returns the ID of an event's translations. The events of a series share theirs, unless an event was changed alone. */
export function translationIdOf({ id, seriesId, changedAlone }: ShownEvent) {
  return (!changedAlone && seriesId) || id
}
