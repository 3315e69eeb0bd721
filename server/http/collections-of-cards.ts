import { z } from 'zod'
import { type Card, type CardFields, type CollectionName, cardSchema, collectionOf } from '../../app/cards/card.ts'
import { cardRecord } from '../../app/cards/card-record.server.ts'
import { addCard, deleteCard, listCards, listSectionsOf, readCard, saveCard } from '../../app/cards/cards.server.ts'
import { canSeeCards } from '../../app/cards/cards-of-page.server.ts'
import { lowestPrice, pricesOf } from '../../app/cards/price.ts'
import { timeInJapan } from '../../app/dates/japan.ts'
import { formatDayWithYear } from '../../app/dates/month.ts'
import { mayEditCollection } from '../../app/permissions.ts'
import { contextOf } from '../../app/request.ts'
import { isCardShown } from '../../app/sections/shown.ts'
import { readSite } from '../../app/settings/site.server.ts'
import { cleanText } from '../../app/ui/typed-text.ts'
import { type ApiContext, type Collection, type Document, dayOf, type JsonBody, splitDay } from './collection.ts'

// A missing field gets the same error as an empty field.
const emptyFields = { title: '', content: '', text1: '', image: '' }

const dayFieldNames = ['eventdate', 'eventday', 'selectedYear', 'selectedMonth', 'selectedDay']

// `other` belongs to the specification. It is stored, but no page shows it.
const OtherField = z.object({ other: z.string().overwrite(cleanText).optional() })

type Values = Partial<CardFields> & z.infer<typeof OtherField>

export function cardCollection(name: CollectionName): Collection<Card, Values> {
  const { fields } = collectionOf(name)
  const names = [...fields, 'other', ...(fields.includes('eventDay') ? dayFieldNames : [])]
  const read = async ({ db }: ApiContext, id: string) => {
    const card = await readCard(db, id)
    return card?.collection === name ? card : null
  }
  return {
    recordType: cardRecord,
    scope: { collection: name },
    fields: () => names,
    names: { eventDay: 'eventdate' },
    list: ({ db }) => listCards(db, name, { drafts: true }),
    read,
    visible: async ({ context, db, visitor }) => {
      const seesPage = await canSeeCards(context, name)
      const mayEdit = mayEditCollection(visitor, name, await readSite(db))
      const [sections, now] = [await listSectionsOf(db, name), timeInJapan(contextOf(context).clock())]
      return (card) => seesPage && (mayEdit || isCardShown(card, sections, now))
    },
    documentOf,
    schema: (_, stored) => z.intersection(cardSchema(name, { stored }), OtherField),
    inputOf: (body, stored) => ({ ...(stored ?? emptyFields), ...fieldsOf(body, stored) }),
    add: async ({ db, author }, { other, ...card }) => {
      const id = await addCard(db, name, card, author, other === undefined ? {} : { other })
      return { outcome: 'saved', id }
    },
    change: ({ db, author }, ref, values, { body, stored }) => {
      const sentFields = fieldsOf(body, stored)
      const changes = Object.entries(values).filter(([field]) => Object.hasOwn(sentFields, field))
      return saveCard(db, ref, Object.fromEntries(changes), author)
    },
    remove: async (api, ref) =>
      (await read(api, ref.id)) ? deleteCard(api.db, ref, api.author) : { outcome: 'missing' },
  }
}

function documentOf({ price, eventDay, createdAt, updatedAt, collection: _, soldOutAt: __, ...item }: Card): Document {
  return {
    ...item,
    price: lowestPrice(pricesOf(price)),
    prices: pricesOf(price),
    eventday: eventDay,
    eventdate: eventDay,
    eventdatestring: eventDay && formatDayWithYear(eventDay),
    ...(eventDay ? splitDay(eventDay) : { selectedYear: null, selectedMonth: null, selectedDay: null }),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

// A document has only the lowest price. If a client sends back this price, the other prices and words like 時価 remain.
function fieldsOf({ price, ...body }: JsonBody, stored: Card | null): JsonBody {
  const isUnchanged = price === undefined || (stored && price === lowestPrice(pricesOf(stored.price)))
  return withEventDay(isUnchanged ? body : { ...body, price })
}

// A client can send the day of a card under several names. The first name that is present counts.
function withEventDay({ eventdate, eventday, selectedYear, selectedMonth, selectedDay, ...body }: JsonBody): JsonBody {
  const selected = selectedYear === undefined ? undefined : dayOf({ selectedYear, selectedMonth, selectedDay })
  const eventDay = [eventdate, eventday, selected].find((day) => day !== undefined)
  return eventDay === undefined ? body : { ...body, eventDay }
}
