import { z } from 'zod'
import { isDay } from '../dates/month.ts'
import { ticked, typedText } from '../forms/form-rules.ts'
import { pictureSources } from '../media/image.ts'
import { videoAddress, videoIdOf } from '../media/video.ts'
import { isOwnPageId, type OwnPageId, pathOfOwnPage } from '../pages/own-page.ts'
import { linkRefusal } from '../ui/link-refusal.ts'
import { safeLink } from '../ui/safe-link.ts'
import { cleanLine, cleanUrl, foldWidth, isBlank, numberFrom } from '../ui/typed-text.ts'
import { allergens } from './allergens.ts'

export const fields = [
  'order',
  'eventDay',
  'title',
  'content',
  'linkUrl',
  'youtubeUrl',
  'image',
  'portraitImage',
  'imageAlt',
  'text1',
  'text2',
  'text3',
  'price',
  'allergens',
  'allergensConfirmed',
  'draft',
] as const
export type Field = (typeof fields)[number]

type Collection = {
  path: string
  fields: readonly Field[]
  required: readonly (keyof typeof filledIn)[]
  sortedBy: 'order' | 'event day'
}

// As the specification says.
const usual = ['title', 'content'] as const

const introduction = {
  fields: ['order', 'eventDay', 'title', 'content', 'linkUrl', 'image', 'imageAlt', 'draft'],
  required: usual,
  sortedBy: 'event day',
} as const

/** The specification's collections of cards: the page that shows each, the fields its form has and those that it requires, and how its cards are sorted. */
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
      ...(['order', 'title', 'content', 'price', 'allergens', 'allergensConfirmed'] as const),
      ...(['linkUrl', 'image', 'imageAlt', 'draft'] as const),
    ],
    // A drink on the menu has a name and a price, and nothing more to say.
    required: ['title'],
    sortedBy: 'order',
  },
  videoproduction: {
    path: '/videoproduction',
    fields: ['order', 'eventDay', 'title', 'content', 'youtubeUrl', 'draft'],
    required: usual,
    sortedBy: 'event day',
  },
  municipalarchitect: {
    path: '/municipalarchitect',
    fields: ['order', 'eventDay', 'title', 'content', 'linkUrl', 'youtubeUrl', 'image', 'imageAlt', 'draft'],
    required: usual,
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

/** A collection of the specification, or that of a page of the owner's own, which is called as the page is. */
export type CollectionName = SpecifiedCollection | OwnPageId

/** Whether a collection is one of the specification's. */
export function isSpecified(name: CollectionName): name is SpecifiedCollection {
  return Object.hasOwn(collections, name)
}

/** What a collection is. */
export function collectionOf(name: CollectionName): Collection {
  if (isSpecified(name)) return collections[name]
  return {
    path: pathOfOwnPage(name),
    fields: ['order', 'title', 'content', 'linkUrl', 'image', 'imageAlt', 'draft'],
    required: usual,
    sortedBy: 'order',
  }
}

/** How a card comes: the `generic` form asks for a text as the specification says, but not of a card `stored` without. */
type Coming = { generic?: boolean | undefined; stored?: Card | null | undefined }

/** Whether a card of this collection must have the field. */
export function isRequired(field: Field, collection: CollectionName, { generic = false, stored }: Coming = {}) {
  const { fields, required } = collectionOf(collection)
  if (field === 'content' && generic) return fields.includes(field) && stored?.content !== ''
  return required.some((each) => each === field)
}

/** Whether a collection may be called this: the database has other tables too. */
export function isCollectionName(name: unknown): name is CollectionName {
  return typeof name === 'string' && (Object.hasOwn(collections, name) || isOwnPageId(name))
}

const line = (name: string, most: number) => typedText(name, most, cleanLine)
const url = z.string().overwrite(cleanUrl)
const link = url
  .max(2000, 'アドレスが長すぎます')
  .refine((url) => url === '' || safeLink(url) !== null, { error: ({ input }) => linkRefusal(String(input)) })

// Forms send text: a blank is nothing.
const blankIsNull = (value: unknown) => (typeof value === 'string' && isBlank(value) ? null : value)

/** Yen as people write them, `1,200円`, `¥1,200-` or `￥1200`; a backslash is a ¥ on a Japanese keyboard. NaN for other text. */
export function yenFrom(value: unknown) {
  const given = blankIsNull(value)
  if (typeof given !== 'string') return given
  const [, yen = ''] = /^[¥\\]?\s*(-?(?:\d+|\d{1,3}(?:,\d{3})+))\s*(?:円|-)?$/.exec(foldWidth(given)) ?? []
  return yen ? Number(yen.replaceAll(',', '')) : Number.NaN
}

/** The years that a card's date may be of. */
export const [firstYear, lastYear] = [1850, 2100]

const image = url.refine((url) => url === '' || pictureSources(url) !== null, '写真を選びなおしてください').default('')

const rules = {
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
  title: line('タイトル', 100).default(''),
  content: typedText('内容', 5000).default(''),
  linkUrl: link.default(''),
  youtubeUrl: url
    .overwrite(videoAddress)
    .max(2000, 'アドレスが長すぎます')
    .refine((url) => url === '' || videoIdOf(url) !== null, 'YouTubeの動画のアドレスを入力してください')
    .default(''),
  image,
  portraitImage: image,
  imageAlt: line('写真の説明', 200).default(''),
  text1: line('1行目', 40).default(''),
  text2: line('2行目', 40).default(''),
  text3: line('写真の説明', 200).default(''),
  price: z.preprocess(
    yenFrom,
    z
      .int('価格は円の数字で入力してください')
      .min(0, '価格は0円以上で入力してください')
      .max(1_000_000, '価格は100万円までです')
      .nullable()
      .default(null),
  ),
  allergens: z
    .string()
    .refine(
      (list) => list === '' || list.split('、').every((name) => (allergens as readonly string[]).includes(name)),
      'アレルギー物質を選びなおしてください',
    )
    .default(''),
  allergensConfirmed: ticked,
  draft: ticked,
} satisfies Record<Field, z.ZodType>

/** The label of the title in the form of a dish. */
export const DISH_NAME = '品名'

// The rules of the fields that a collection may require.
const filledIn = {
  title: rules.title.unwrap().min(1, 'タイトルを入力してください'),
  content: rules.content.unwrap().min(1, '内容を入力してください'),
  image: rules.image.unwrap().min(1, '写真を選んでください'),
  text1: rules.text1.unwrap().min(1, '1行目を入力してください'),
}

/**
 * The rules of a collection's form: its own fields only, of which some must be filled in. What is `stored` already
 * passes unchanged: what came from elsewhere must not hinder an edit of another field.
 */
export function cardSchema(collection: CollectionName, coming: Coming = {}) {
  const { stored } = coming
  const own = Object.fromEntries(
    collectionOf(collection).fields.map((field): [Field, z.ZodType] => [field, rules[field]]),
  )
  for (const [field, rule] of Object.entries(filledIn) as [keyof typeof filledIn, z.ZodType][])
    if (isRequired(field, collection, coming)) own[field] = rule
  if (collection === 'dining') own.title = line(DISH_NAME, 100).min(1, `${DISH_NAME}を入力してください`)
  if (stored) {
    for (const [field, rule] of Object.entries(own) as [Field, z.ZodType][]) {
      const value = stored[field]
      if (typeof value === 'string' && value !== '') own[field] = unlessSame(value, rule)
    }
  }
  return z.object(own) as unknown as z.ZodType<Partial<CardFields>>
}

function unlessSame(kept: string, rule: z.ZodType) {
  return z.any().transform((value, context) => {
    if (value === kept) return kept
    const read = rule.safeParse(value)
    if (read.success) return read.data
    for (const { message } of read.error.issues) context.issues.push({ code: 'custom', message, input: value })
    return z.NEVER
  })
}

export type CardFields = { [F in Field]: z.infer<(typeof rules)[F]> }
export type Card = CardFields & {
  id: string
  /** When a dish was last said to be sold out for the day. */
  soldOutAt: string | null
  collection: CollectionName
  version: number
  createdAt: string
  updatedAt: string
}

/** Sorts as the collection's page does: by order, or by event day and then order; what has none comes last. */
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
