import { data } from 'react-router'
import type { Card } from './card.ts'

/** The id of the card that an address like /tennisrelated/{Id}/{eventState} points at; throws a 404 where there is none. */
export function pointedCard(items: Card[], { Id }: { Id?: string }) {
  if (Id !== undefined && !items.some((item) => item.id === Id)) throw data(null, 404)
  return Id
}
