import { z } from 'zod'
import { type Card, type CardFields, type CollectionName, cardSchema, collectionOf } from '../../app/cards/card.ts'
import { cardRecord } from '../../app/cards/card-record.server.ts'
import { addCard, deleteCard, listCards, readCard, saveCard } from '../../app/cards/cards.server.ts'
import { canSeeCards } from '../../app/cards/cards-of-page.server.ts'
import { formatDayWithYear } from '../../app/dates/month.ts'
import { mayEditCollection } from '../../app/permissions.ts'
import { readSite } from '../../app/settings/site.server.ts'
import { cleanText } from '../../app/ui/typed-text.ts'
import { type Asked, type Collection, type Document, dayOf, type Given } from './collection.ts'

// A missing field gets the same error as an empty one.
const blank = { title: '', content: '', text1: '', image: '' }

const dayNames = ['eventdate', 'eventday', 'selectedYear', 'selectedMonth', 'selectedDay']

// `other` belongs to the specification. It is stored, but no page shows it.
const Kept = z.object({ other: z.string().overwrite(cleanText).optional() })

type Values = Partial<CardFields> & z.infer<typeof Kept>

export function cardCollection(name: CollectionName): Collection<Card, Values> {
  const { fields } = collectionOf(name)
  const names = [...fields, 'other', ...(fields.includes('eventDay') ? dayNames : [])]
  const find = async ({ db }: Asked, id?: string) => {
    if (id === undefined) return listCards(db, name, { drafts: true })
    const card = await readCard(db, id)
    return card?.collection === name ? [card] : []
  }
  return {
    kind: cardRecord,
    scope: { collection: name },
    fields: () => names,
    names: { eventDay: 'eventdate' },
    find,
    visible: async ({ context, db, visitor }) => {
      const seesPage = await canSeeCards(context, name)
      const mayEdit = mayEditCollection(visitor, name, await readSite(db))
      return ({ draft }) => seesPage && (!draft || mayEdit)
    },
    documentOf,
    schema: (_, stored) => z.intersection(cardSchema(name, { stored }), Kept),
    inputOf: (given, stored) => ({ ...(stored ?? blank), ...fieldsOf(given) }),
    add: async ({ db, author }, { other, ...card }) => {
      const id = await addCard(db, name, card, author, other === undefined ? {} : { other })
      return { outcome: 'saved', id }
    },
    change: ({ db, author }, seen, values, { given }) => {
      const own = fieldsOf(given)
      const changes = Object.entries(values).filter(([field]) => Object.hasOwn(own, field))
      return saveCard(db, seen, Object.fromEntries(changes), author)
    },
    remove: async (asked, seen) => {
      const [card] = await find(asked, seen.id)
      return card ? deleteCard(asked.db, seen, asked.author) : { outcome: 'missing' }
    },
  }
}

function documentOf({ eventDay, createdAt, updatedAt, collection: _, soldOutAt: __, ...item }: Card): Document {
  const [selectedYear, selectedMonth, selectedDay] = eventDay?.split('-').map(Number) ?? [null, null, null]
  return {
    ...item,
    eventday: eventDay,
    eventdate: eventDay,
    eventdatestring: eventDay && formatDayWithYear(eventDay),
    selectedYear,
    selectedMonth,
    selectedDay,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

// The day of a card has several names; the first one present counts.
function fieldsOf({ eventdate, eventday, selectedYear, selectedMonth, selectedDay, ...given }: Given): Given {
  const selected = selectedYear === undefined ? undefined : dayOf({ selectedYear, selectedMonth, selectedDay })
  const eventDay = [eventdate, eventday, selected].find((day) => day !== undefined)
  return eventDay === undefined ? given : { ...given, eventDay }
}
