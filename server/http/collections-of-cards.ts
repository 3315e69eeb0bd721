import { z } from 'zod'
import { type Card, type CollectionName, cardSchema, collectionOf } from '../../app/cards/card.ts'
import { addCard, deleteCard, listCards, readCard, saveCard } from '../../app/cards/cards.server.ts'
import { seesCards } from '../../app/cards/cards-of-page.server.ts'
import { dayWithYearInWords } from '../../app/dates/month.ts'
import { PictureGone } from '../../app/media/images.server.ts'
import { mayEditCollection, refusedCollection } from '../../app/permissions.ts'
import { authorOf, contextOf, type RequestContext } from '../../app/request.ts'
import { readSite } from '../../app/settings/site.server.ts'
import { cleanText } from '../../app/ui/typed-text.ts'
import type { Collection, Document, Given, Outcome } from './collections.ts'

/** The error for a value whose type no form sends. */
export const inJapanese = { error: () => 'この項目の形が正しくありません' }

// A missing field gets the same error as an empty one.
const blank = { title: '', content: '', text1: '', image: '' }

const dayNames = ['eventdate', 'eventday', 'selectedYear', 'selectedMonth', 'selectedDay']

// `other` belongs to the specification. It is stored, but no page shows it.
const Kept = z.object({ other: z.string().overwrite(cleanText).optional() })

export function cardCollection(name: CollectionName): Collection {
  const mayEdit = async (context: RequestContext) =>
    mayEditCollection(contextOf(context).visitor, name, await readSite(contextOf(context).db))
  const itemOf = async (context: RequestContext, id: string) => {
    const item = await readCard(contextOf(context).db, id)
    if (item?.collection !== name || !(await seesCards(context, name))) return null
    return !item.draft || (await mayEdit(context)) ? item : null
  }
  const { fields } = collectionOf(name)
  const names = [...fields, 'other', ...(fields.includes('eventDay') ? dayNames : [])]
  return {
    fields: () => names,
    list: async (context) => {
      if (!(await seesCards(context, name))) return []
      const items = await listCards(contextOf(context).db, name, { drafts: await mayEdit(context) })
      return items.map(documentOf)
    },
    read: async (context, id) => {
      const item = await itemOf(context, id)
      return item && documentOf(item)
    },
    refusal: async (context) =>
      (await mayEdit(context))
        ? null
        : refusedCollection(contextOf(context).visitor, name, await readSite(contextOf(context).db)),
    add: async (context, given) => {
      const read = cardSchema(name).safeParse({ ...blank, ...fieldsOf(given) }, inJapanese)
      if (!read.success) return wrong(read.error.issues)
      const kept = Kept.safeParse(given, inJapanese)
      if (!kept.success) return wrong(kept.error.issues)
      return addCard(contextOf(context).db, name, read.data, authorOf(context), kept.data).then(
        (id) => ({ outcome: 'saved', id }),
        withoutPicture,
      )
    },
    change: async (context, seen, given) => {
      const item = await itemOf(context, seen.id)
      if (!item) return { outcome: 'missing' }
      const own = fieldsOf(given)
      const read = cardSchema(name, { stored: item }).safeParse({ ...item, ...own }, inJapanese)
      if (!read.success) return wrong(read.error.issues)
      const changes = Object.entries(read.data).filter(([field]) => Object.hasOwn(own, field))
      const kept = Kept.safeParse(given, inJapanese)
      if (!kept.success) return wrong(kept.error.issues)
      const fields: Parameters<typeof saveCard>[2] = { ...Object.fromEntries(changes), ...kept.data }
      return saveCard(contextOf(context).db, seen, fields, authorOf(context)).then(
        (result) => outcomeOf(seen.id, result),
        withoutPicture,
      )
    },
    remove: async (context, seen) => {
      if (!(await itemOf(context, seen.id))) return { outcome: 'missing' }
      return outcomeOf(seen.id, await deleteCard(contextOf(context).db, seen, authorOf(context)))
    },
  }
}

function withoutPicture(error: unknown): Outcome {
  if (error instanceof PictureGone) return wrong([{ path: ['image'], message: error.message }])
  throw error
}

function documentOf({ eventDay, createdAt, updatedAt, collection: _, soldOutAt: __, ...item }: Card): Document {
  const [selectedYear, selectedMonth, selectedDay] = eventDay?.split('-').map(Number) ?? [null, null, null]
  return {
    ...item,
    eventday: eventDay,
    eventdate: eventDay,
    eventdatestring: eventDay && dayWithYearInWords(eventDay),
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

/** Returns the result of a write to the document with this ID. */
export function outcomeOf(
  id: string,
  result: { error?: 'missing' | 'conflict' | undefined } | { outcome: 'saved' | 'newer' | 'missing' },
): Outcome {
  const outcome = 'outcome' in result ? result.outcome : result.error === 'conflict' ? 'newer' : result.error
  return outcome === 'newer' || outcome === 'missing' ? { outcome } : { outcome: 'saved', id }
}

/** Joins the three parts of a day to YYYY-MM-DD without checking that the day exists. */
export function dayOf({ selectedYear, selectedMonth, selectedDay }: Given) {
  const text = (part: unknown) =>
    (typeof part === 'number' || typeof part === 'string' ? `${part}` : '').padStart(2, '0')
  return [selectedYear, selectedMonth, selectedDay].map(text).join('-')
}

/** Returns the first validation error; `names` maps field names to those of the specification. */
export function wrong(
  issues: { path: PropertyKey[]; message: string }[],
  names: Record<string, string> = { eventDay: 'eventdate' },
): Outcome {
  const [issue] = issues
  const field = issue?.path.join('.')
  return { outcome: 'wrong', error: issue?.message ?? '', field: field && (names[field] ?? field) }
}
