import { z } from 'zod'
import { eachRow } from '../../app/hours/business-day.ts'
import { hourFields, noHourFields } from '../../app/hours/hour-fields.ts'
import { memberFieldNames } from '../../app/members/member.ts'
import { films, pageNames, places } from '../../app/pages/page.ts'
import { textBlocks } from '../../app/pages/text-schema.ts'
import { servedLabels } from '../../app/sections/section.ts'
import type { Collection, JsonBody } from './collection.ts'
import { memberFieldOf } from './collections-of-members.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema
type Properties = Record<string, JsonSchema>

/** Returns the JSON Schema of the input that the server validates with this schema. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    // A default value holds only for a new document. A change leaves a missing field as it is.
    override: ({ jsonSchema }) => {
      delete jsonSchema.default
    },
  })
  return json
}

export const text: JsonSchema = { type: 'string' }
export const boolean: JsonSchema = { type: 'boolean' }
const integer: JsonSchema = { type: 'integer' }
const day: JsonSchema = { type: 'string', format: 'date' }
const time: JsonSchema = { type: 'string', format: 'date-time' }
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })
const eachAs = (names: readonly string[], schema: JsonSchema) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Properties

export function objectSchema(properties: Properties, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', required, properties }
}

const identity = { id: text, version: integer }
const createdAndUpdated = { createdAt: time, updatedAt: time }
const cardDay = {
  eventday: orNull(day),
  eventdate: orNull(day),
  ...eachAs(['selectedYear', 'selectedMonth', 'selectedDay'], orNull(integer)),
}
const specialDay = eachAs(['selectedYear', 'selectedMonth', 'selectedDay'], integer)
const memberFlags = { administrator: boolean, admin: boolean }
const contactDetails = ['email', 'address', 'tel_num']
const row = objectSchema({ ...eachAs(hourFields, text), open_or_close: { enum: ['open', 'close'] } })

/** The documents of the collections. Each response has all fields, unless the description of the schema differs. */
export const documentSchemas = {
  Card: objectSchema({
    ...identity,
    order: orNull({ type: 'number' }),
    draft: boolean,
    ...eachAs(['title', 'content', 'linkUrl', 'youtubeUrl', 'image', 'imageAlt', 'portraitImage'], text),
    ...eachAs(['text1', 'text2', 'text3', 'marks', 'allergens', 'section', 'shownFrom', 'shownUntil'], text),
    allergensConfirmed: boolean,
    price: orNull(integer),
    prices: { type: 'array', items: objectSchema({ label: text, yen: orNull(integer) }) },
    ...cardDay,
    eventdatestring: orNull(text),
    created_at: time,
    updated_at: time,
  }),
  Section: objectSchema({
    ...identity,
    order: integer,
    draft: boolean,
    served: { enum: Object.keys(servedLabels) },
    ...eachAs(['name', 'introduction', 'servedFrom', 'servedUntil', 'shownFrom', 'shownUntil', 'hiddenUntil'], text),
  }),
  Page: objectSchema({
    ...identity,
    ...eachAs(['path', 'title', 'english', 'label', 'description', 'introduction', 'empty', 'scenes'], text),
    text: schemaOf(textBlocks),
    ...eachAs(['image', 'imageAlt'], text),
    film: { enum: ['', ...films] },
    place: { enum: [...places] },
    order: { type: 'number' },
    shown: boolean,
  }),
  Event: objectSchema({
    ...identity,
    date: day,
    ...eachAs(['title', 'content'], text),
    ...eachAs(['startTime', 'endTime'], orNull(text)),
    attendance: boolean,
    capacity: orNull(integer),
    deadline: orNull(day),
    membersOnly: boolean,
    deadlineTime: orNull(text),
    ...createdAndUpdated,
  }),
  Week: objectSchema({
    ...identity,
    schedule: objectSchema({ ...eachRow(() => row), closedDaysFirst: boolean }, ['closedDaysFirst']),
    ...eachAs(['createdAt', 'updatedAt'], orNull(time)),
  }),
  SpecialDay: objectSchema({
    ...identity,
    ...specialDay,
    ...eachAs(['reason', 'cause', 'note', ...hourFields], text),
    ...createdAndUpdated,
  }),
  Member: {
    description: 'Only the member and administrators see the contact details, `administrator`, `admin` and `author`.',
    ...objectSchema(
      {
        ...identity,
        ...eachAs(memberFieldNames.map(memberFieldOf), text),
        ...memberFlags,
        author: objectSchema({ id: text, username: text }),
        ...createdAndUpdated,
      },
      [...contactDetails, ...Object.keys(memberFlags), 'author'],
    ),
  },
} satisfies Record<string, JsonSchema>

type CollectionDescription = {
  document: keyof typeof documentSchemas
  /** A valid body of a new document. */
  example: JsonBody
  /** Whether the document, its ID or its name can exist already. */
  isUnique?: true
  /** Fields that the server reads outside the schema of its form. */
  fields?: Properties
}

const cardDescription: CollectionDescription = {
  document: 'Card',
  example: { title: 'おでん', content: '大根、玉子、こんにゃく。' },
  fields: cardDay,
}
const openRow = { ...noHourFields, starttime1_hour: '07', endtime1_hour: '10', open_or_close: 'open' }

export function describeCollection(name: string): CollectionDescription {
  return descriptions[name] ?? cardDescription
}

const descriptions: Record<string, CollectionDescription> = {
  home: { ...cardDescription, example: { text1: '冬のしたく', image: '/art/story-alley-1920.jpg' } },
  sections: { document: 'Section', example: { name: 'お飲みもの' } },
  pages: {
    document: 'Page',
    isUnique: true,
    example: { id: 'p-parties', title: '貸切' },
    fields: { id: { type: 'string', pattern: '^p-' }, text: { anyOf: [text, schemaOf(textBlocks)] } },
  },
  events: { document: 'Event', example: { date: '2026-12-24', title: '利き酒の会' }, fields: { id: text } },
  bussinessDays: { document: 'Week', isUnique: true, example: { schedule: eachRow(() => openRow) } },
  bussinessDaysSpecial: {
    document: 'SpecialDay',
    isUnique: true,
    example: { selectedYear: 2026, selectedMonth: 12, selectedDay: 9, reason: '臨時休業' },
    fields: specialDay,
  },
  members: {
    document: 'Member',
    isUnique: true,
    example: {
      ...Object.fromEntries(memberFieldNames.map((name) => [memberFieldOf(name), '見本'])),
      email: 'a@example.jp',
    },
    fields: memberFlags,
  },
}

/** Returns the schema of the body of a new document, or of a change if `isChange` is true. */
export function bodySchema(name: string, collection: Collection, isChange: boolean): JsonSchema {
  const { example, fields = {} } = describeCollection(name)
  const ids = name === 'pages' ? [String(example.id), ...(isChange ? pageNames : [])] : ['']
  const accepted = new Set(ids.flatMap((id) => collection.fields(id)))
  const properties = Object.fromEntries(
    Object.entries({
      ...Object.assign({}, ...ids.map((id) => formProperties(name, collection, id))),
      ...fields,
    }).filter(([field]) => accepted.has(field) || (field === 'id' && !isChange)),
  ) as Properties
  if (isChange)
    return { ...asChange({ type: 'object', properties: { version: integer, ...properties } }), required: ['version'] }
  const isRequired = (field: string) => {
    const { [field]: _, ...rest } = example
    return (
      field in example && !collection.schema(String(example.id), null).safeParse(collection.inputOf(rest, null)).success
    )
  }
  const required = Object.keys(properties).filter((field) => isRequired(field) || (name === 'pages' && field === 'id'))
  return { type: 'object', required, properties, examples: [example] }
}

// The weekly hours are the only collection whose schema describes one field instead of the whole body.
function formProperties(name: string, collection: Collection, id: string): Properties {
  const { properties, allOf = [] } = schemaOf(collection.schema(id, null))
  if (name === 'bussinessDays') return { schedule: schemaOf(collection.schema(id, null)) }
  const own = Object.assign({}, properties, ...allOf.map((part) => part.properties)) as Properties
  return Object.fromEntries(Object.entries(own).map(([field, schema]) => [collection.names?.[field] ?? field, schema]))
}

// A change may contain single fields, also of a row of the weekly hours.
function asChange({ required, properties, ...schema }: JsonSchema): JsonSchema {
  if (!properties) return schema
  const changes = Object.entries(properties).map(([name, child]) => [name, asChange(child as JsonSchema)])
  return { ...schema, properties: Object.fromEntries(changes) }
}
