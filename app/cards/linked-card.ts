import { data } from 'react-router'
import type { Card } from './card.ts'

/** Returns the card ID in a URL like /tennisrelated/{Id}/{eventState}. Throws a 404 if no card has this ID. */
export function linkedCard(items: Card[], { Id }: { Id?: string }) {
  if (Id !== undefined && !items.some((item) => item.id === Id)) throw data(null, 404)
  return Id
}
