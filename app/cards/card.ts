import { z } from 'zod'
import { isDay } from '../dates/month.ts'
import { checkbox, linkField, textField } from '../forms/form-rules.ts'
import { imageSources } from '../media/image.ts'
import { videoIdOf } from '../media/video.ts'
import { isOwnPageId, type OwnPageId, pathOfOwnPage } from '../pages/own-page.ts'
import { checkDisplay, displayRules } from '../sections/display-rules.ts'
import { cleanLine, cleanUrl, isBlank, numberFrom } from '../ui/typed-text.ts'
import { allergens } from './allergens.ts'
import { marks, spiciness } from './marks.ts'
import { recommendedAllergens } from './recommended-allergens.ts'
import { TypedPrices } from './typed-prices.ts'

type Collection = {
  path: string
  fields: readonly Field[]
  required: readonly (keyof typeof requiredRules)[]
  sortedBy: 'order' | 'event day'
}

// The specification requires these two fields.
const titleAndContent = ['title', 'content'] as const

const introduction = {
  fields: ['order', 'eventDay', 'title', 'content', 'linkUrl', 'image', 'imageAlt', 'draft'],
  required: titleAndContent,
  sortedBy: 'event day',
} as const

export const collections = {
  home: {
    path: '/',
    fields: ['order', 'text1', 'text2', 'text3', 'linkUrl', 'image', 'portraitImage', 'draft'],
    required: ['text1', 'image'],
    sortedBy: 'order',
  },
  dining: {
    path: '/dining',
    fields: [
      ...(['order', 'title', 'content', 'price', 'marks', 'allergens'] as const),
      ...(['allergensConfirmed', 'linkUrl', 'image', 'imageAlt', 'draft'] as const),
      ...(['section', 'shownFrom', 'shownUntil'] as const),
    ],
    // The content is optional, because a drink needs no description.
    required: ['title'],
    sortedBy: 'order',
  },
  videoproduction: {
    path: '/videoproduction',
    fields: ['order', 'eventDay', 'title', 'content', 'youtubeUrl', 'draft'],
    required: titleAndContent,
    sortedBy: 'event day',
  },
  municipalarchitect: {
    path: '/municipalarchitect',
    fields: ['order', 'eventDay', 'title', 'content', 'linkUrl', 'youtubeUrl', 'image', 'imageAlt', 'draft'],
    required: titleAndContent,
    sortedBy: 'event day',
  },
  webdesignincludebackend: { path: '/webdesignincludebackend', ...introduction },
  webdesign: { path: '/webdesignincludebackend', ...introduction },
  vbacreate: { path: '/vbacreate', ...introduction },
  socialefficiency: { path: '/socialefficiency', ...introduction },
  tennisrelated: { path: '/tennisrelated', ...introduction },
} as const satisfies Record<string, Collection>

export type SpecifiedCollection = keyof typeof collections
export const collectionNames = Object.keys(collections) as SpecifiedCollection[]

export type CollectionName = SpecifiedCollection | OwnPageId

export function isSpecified(name: CollectionName): name is SpecifiedCollection {
  return Object.hasOwn(collections, name)
}

export function collectionOf(name: CollectionName): Collection {
  if (isSpecified(name)) return collections[name]
  return {
    path: pathOfOwnPage(name),
    fields: ['order', 'title', 'content', 'linkUrl', 'image', 'imageAlt', 'draft'],
    required: titleAndContent,
    sortedBy: 'order',
  }
}

/** The `generic` form of the specification requires `content`, unless the `stored` card has none. */
type CardFormOptions = { generic?: boolean | undefined; stored?: Card | null | undefined }

export function isRequired(
  field: Field,
  collection: CollectionName,
  { generic = false, stored }: CardFormOptions = {},
) {
  const { fields, required } = collectionOf(collection)
  if (field === 'content' && generic) return fields.includes(field) && stored?.content !== ''
  return required.some((each) => each === field)
}

export function isCollectionName(name: unknown): name is CollectionName {
  return typeof name === 'string' && (Object.hasOwn(collections, name) || isOwnPageId(name))
}

const line = (name: string, max: number) => textField(name, max, cleanLine)
const url = z.string().overwrite(cleanUrl)

// A form sends an empty field as blank text, which is stored as null.
const blankIsNull = (value: unknown) => (typeof value === 'string' && isBlank(value) ? null : value)

const listOf = (names: readonly string[], error: string) =>
  z.string().refine((list) => list === '' || list.split('、').every((name) => names.includes(name)), error)

export const [firstYear, lastYear] = [1850, 2100]

const image = url.refine((url) => url === '' || imageSources(url) !== null, '写真を選び直してください').default('')

export function normalizeVideoUrl(typed: string) {
  const withScheme = `https://${typed.trim()}`
  return /^\s*(?:\w+\.)+\w+\//.test(typed) && videoIdOf(withScheme) ? withScheme : typed
}

/** The texts of a card that guests read, with their maximum length in characters. */
export const maxLengths = { title: 100, content: 5000, text1: 40, text2: 40, text3: 200, imageAlt: 200 }

export const fieldRules = {
  order: z.preprocess(numberFrom, z.number('並び順は数字で入力してください').nullable().default(null)),
  eventDay: z.preprocess(
    blankIsNull,
    z
      .string()
      .refine(isDay, '日付を選んでください')
      .refine(
        (day) => day >= `${firstYear}` && day < `${lastYear + 1}`,
        `日付は${firstYear}年から${lastYear}年までです`,
      )
      .nullable()
      .default(null),
  ),
  title: line('タイトル', maxLengths.title).default(''),
  content: textField('内容', maxLengths.content).default(''),
  linkUrl: linkField,
  youtubeUrl: url
    .overwrite(normalizeVideoUrl)
    .max(2000, 'アドレスが長すぎます')
    .refine((url) => url === '' || videoIdOf(url) !== null, 'YouTubeの動画のアドレスを入力してください')
    .default(''),
  image,
  portraitImage: image,
  imageAlt: line('写真の説明', maxLengths.imageAlt).default(''),
  text1: line('1行目', maxLengths.text1).default(''),
  text2: line('2行目', maxLengths.text2).default(''),
  text3: line('写真の説明', maxLengths.text3).default(''),
  price: z.preprocess((value) => (typeof value === 'number' ? String(value) : (value ?? '')), TypedPrices),
  marks: listOf(marks, '目印を選び直してください')
    .refine((list) => spiciness.filter((mark) => list.includes(mark)).length < 2, '辛さは1つだけ選んでください')
    .default(''),
  allergens: listOf([...allergens, ...recommendedAllergens], 'アレルギー物質を選び直してください').default(''),
  allergensConfirmed: checkbox,
  draft: checkbox,
  section: z.string().max(64, '分類を選び直してください').default(''),
  ...displayRules,
} satisfies Record<string, z.ZodType>

export type Field = keyof typeof fieldRules
export const fields = Object.keys(fieldRules) as Field[]

export const DISH_TITLE_LABEL = '品名'

const requiredRules = {
  title: fieldRules.title.unwrap().min(1, 'タイトルを入力してください'),
  content: fieldRules.content.unwrap().min(1, '内容を入力してください'),
  image: fieldRules.image.unwrap().min(1, '写真を選んでください'),
  text1: fieldRules.text1.unwrap().min(1, '1行目を入力してください'),
}

/** Returns the schema of a card form. Accepts unchanged `stored` values, so that old values never block an edit. */
export function cardSchema(collection: CollectionName, options: CardFormOptions = {}) {
  const { stored } = options
  const rules = Object.fromEntries(
    collectionOf(collection).fields.map((field): [Field, z.ZodType] => [field, fieldRules[field]]),
  )
  for (const [field, rule] of Object.entries(requiredRules) as [keyof typeof requiredRules, z.ZodType][])
    if (isRequired(field, collection, options)) rules[field] = rule
  if (collection === 'dining')
    rules.title = line(DISH_TITLE_LABEL, maxLengths.title).min(1, `${DISH_TITLE_LABEL}を入力してください`)
  if (stored) {
    for (const [field, rule] of Object.entries(rules) as [Field, z.ZodType][]) {
      const value = stored[field]
      if (typeof value === 'string' && value !== '') rules[field] = passUnchanged(value, rule)
    }
  }
  return z.object(rules).superRefine(checkDisplay) as unknown as z.ZodType<Partial<CardFields>>
}

function passUnchanged(stored: string, rule: z.ZodType) {
  return z.any().transform((value, context) => {
    if (value === stored) return stored
    const parsed = rule.safeParse(value)
    if (parsed.success) return parsed.data
    for (const { message } of parsed.error.issues) context.issues.push({ code: 'custom', message, input: value })
    return z.NEVER
  })
}

export type CardFields = { [F in Field]: z.infer<(typeof fieldRules)[F]> }
export type Card = CardFields & {
  id: string
  /** ISO 8601, or null if the dish is available. `soldOutUntil` returns the end of the sold-out state. */
  soldOutAt: string | null
  collection: CollectionName
  version: number
  createdAt: string
  updatedAt: string
}

/** Returns a comparator by position, or by event day and then by position. Missing values come last. */
export function compareItems(sortedBy: 'order' | 'event day') {
  return (a: Card, b: Card) =>
    (sortedBy === 'event day' && compareWithLast(a.eventDay, b.eventDay)) ||
    compareWithLast(a.order, b.order) ||
    compareWithLast(a.createdAt, b.createdAt) ||
    compareWithLast(a.id, b.id) ||
    0
}

function compareWithLast<T extends string | number>(a: T | null, b: T | null) {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -1 : 1
}
